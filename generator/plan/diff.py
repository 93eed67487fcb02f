"""A change as a unified diff that `git apply -p2` takes inside its checkout."""

from __future__ import annotations

from difflib import unified_diff as diff_lines

from .tree import Change


def unified_diff(change: Change) -> str:
    """Return the diff of one file; paths are `a/<repo>/<path>` and `b/<repo>/<path>`."""
    name = f"{change.repo}/{change.path}"
    old, new = (f"{side}/{name}" for side in "ab")
    header = f"diff --git {old} {new}\n"
    if change.before is None:
        old, header = "/dev/null", f"{header}new file mode 100644\n"
    if change.after is None:
        new, header = "/dev/null", f"{header}deleted file mode 100644\n"
    before, after = lines_of(change.before), lines_of(change.after)
    return header + "".join(map(_ended, diff_lines(before, after, _marked(old), _marked(new))))


def lines_of(data: bytes | None) -> list[str]:
    """Split at line feeds only, so that a carriage return or a form feed stays inside its line."""
    lines = (data or b"").decode("utf-8", "surrogateescape").split("\n")
    return [f"{line}\n" for line in lines[:-1]] + [line for line in lines[-1:] if line]


def _marked(name: str) -> str:
    # A tab ends a name with spaces, as git and diff write it.
    return f"{name}\t" if " " in name else name


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
