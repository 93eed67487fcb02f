"""What a change did to existing files."""

from __future__ import annotations

import ast
import difflib


def lost_lines(before: dict[str, bytes], after: dict[str, bytes]) -> list[tuple[str, str]]:
    """Lines of existing files that are gone, those left out that only grew: an import list, a list, a last element."""
    lost = []
    for path, old in before.items():
        new = after.get(path)
        assert new is not None, f"{path} is gone"
        ops = difflib.SequenceMatcher(None, old.splitlines(), new.splitlines(), autojunk=False).get_opcodes()
        for tag, a, b, c, d in ops:
            if tag in ("replace", "delete"):
                gone, come = old.splitlines()[a:b], new.splitlines()[c:d]
                lost += [(path, line.decode()) for line in gone if not _grew(line, come)]
    return lost


def _grew(line: bytes, new: list[bytes]) -> bool:
    """True for a one-line import or literal all of whose names are in the new lines, in their order."""
    text = line.decode()
    if not ("import" in text or "[" in text or "(" in text or text.rstrip().endswith(('"', "'"))):
        return False
    words = [w.strip(",()[]") for w in text.split() if w not in ("(", ")")]
    rest = iter(w.strip(",()[]") for w in b" ".join(new).decode().split())
    return all(any(w == r for r in rest) for w in words)


def compiles(files: dict[str, bytes]) -> None:
    """Fail on the first Python file that is none."""
    for path, data in files.items():
        if path.endswith(".py"):
            ast.parse(data, path)
