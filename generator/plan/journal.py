"""What a transaction is about to do in one checkout, written before it does it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from generator.errors import ScaffoldError

from . import disk
from .paths import inside, read_file
from .places import JOURNAL, STAGING

SCHEMA = {"name": "scaffold/journal", "version": 1}


@dataclass(frozen=True)
class Swap:
    """One file; its new and old bytes are staged as `<n>.new` and `<n>.old`.

    Attributes:
        path: relative to the checkout.
        old, new: sha256 of its bytes before and after, None where there is no file.
    """

    path: str
    old: str | None
    new: str | None


@dataclass(frozen=True)
class Journal:
    """One checkout's part of a transaction.

    Attributes:
        tx: names the transaction, the same in every checkout.
        command: what it was for.
        leader: path from this checkout to the one whose commit mark decides.
        checkouts: paths from this checkout to all that take part, itself (`.`) included.
        swaps: the files.
        made: folders that are made for new files, outermost first.
        pruned: folders that are removed when they are empty, innermost first.
    """

    tx: str
    command: str
    leader: str
    checkouts: tuple[str, ...]
    swaps: tuple[Swap, ...]
    made: tuple[str, ...]
    pruned: tuple[str, ...]

    def write(self, root: Path) -> None:
        """Put the journal in place, whole or not at all."""
        data = json.dumps({"schema": SCHEMA, **asdict(self)}, indent=1).encode()
        disk.write(root / STAGING / "journal", data)
        disk.replace(root / STAGING / "journal", root / JOURNAL)

    @classmethod
    def read(cls, root: Path, repo: str) -> Journal | None:
        """Return the journal of a checkout, if there is one.

        Raises:
            ScaffoldError: it is no journal, or it names a path outside the checkout.
        """
        where = f"{repo}/{JOURNAL}"
        data = read_file(root / JOURNAL, where)
        if data is None:
            return None
        try:
            fields = json.loads(data)
            if fields.pop("schema") != SCHEMA:
                raise ValueError("another version of scaffold wrote it")
            swaps = tuple(Swap(**swap) for swap in fields.pop("swaps"))
            lists = {key: tuple(fields.pop(key)) for key in ("checkouts", "made", "pruned")}
            journal = cls(swaps=swaps, **lists, **fields)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            next = f"compare the checkout with git, then delete {JOURNAL}"
            raise ScaffoldError(f"cannot read the journal: {error!r}", where=where, next=next) from error
        for path in (*(swap.path for swap in swaps), *journal.made, *journal.pruned):
            inside(root, repo, path)
        return journal


def digest(data: bytes | None) -> str | None:
    """Return the sha256 of a file's bytes, None for no file."""
    return None if data is None else hashlib.sha256(data).hexdigest()
