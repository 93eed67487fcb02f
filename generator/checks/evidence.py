"""A recorded log of a run on a device.

The log holds the command, its output, and a last line `exit N`:

    ( set -x; COMMAND ) > run.log 2>&1; echo "exit $?" >> run.log
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from generator.errors import ScaffoldError

_EXIT = re.compile(r"^exit (\d+)\s*\Z", re.M)
_TRACE = "Traceback (most recent call last)"
# Names in a command of the checklist that stand for a folder of the user's.
_PLACE = re.compile(r"QUANTISED_MODEL|MODEL")


@dataclass(frozen=True)
class Evidence:
    """One log: its name, its text, and the first twelve digits of its SHA-256."""

    name: str
    text: str
    hash: str

    @classmethod
    def read(cls, path: Path) -> Evidence:
        """Read a log.

        Raises:
            ScaffoldError: it cannot be read, or does not say how the command ended.
        """
        try:
            data = path.read_bytes()
        except OSError as error:
            raise ScaffoldError(f"the evidence cannot be read: {error.strerror}", where=str(path)) from None
        text = data.decode("utf-8", "replace").replace("\r\n", "\n")
        if not _EXIT.search(text.rstrip() + "\n"):
            next = 'record it with: ( set -x; COMMAND ) > run.log 2>&1; echo "exit $?" >> run.log'
            raise ScaffoldError("the log does not end with `exit N`", where=str(path), next=next)
        return cls(path.name, text.rstrip() + "\n", hashlib.sha256(data).hexdigest()[:12])

    @property
    def succeeded(self) -> bool:
        """True if the command ended with 0, printed something, and no traceback."""
        exit = _EXIT.search(self.text)
        said = len([line for line in self.text.splitlines() if line.strip()]) > 2
        return exit is not None and exit[1] == "0" and said and _TRACE not in self.text

    @property
    def summary(self) -> str:
        """What a row says of it."""
        exit = _EXIT.search(self.text)
        if _TRACE in self.text:
            return f"{self.name} holds a traceback (sha256 {self.hash})"
        return f"{self.name} ends with exit {exit[1] if exit else '?'} (sha256 {self.hash})"

    def records(self, command: str) -> bool:
        """True if the log is of a command, whatever model it names; quoting and spacing do not count."""
        parts = map(re.escape, _PLACE.split(_plain(command)))
        return re.search(r"[^,()]+?".join(parts), _plain(self.text)) is not None


def _plain(text: str) -> str:
    """Without white space, quotes and backslashes: a shell's trace quotes in its own way."""
    return re.sub(r"""[\s'"\\]+""", "", text)
