"""The Python files that the working trees have changed, by git."""

from __future__ import annotations

import re
import subprocess

from generator.errors import ScaffoldError
from generator.workspace.checkout import Checkout, Workspace

from .engine import Files
from .finding import Place

_HUNK = re.compile(rb"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", re.M)


def changed_files(workspace: Workspace) -> Files:
    """Return the files, as (repo, path), that differ from the last commit, untracked ones included.

    Raises:
        ScaffoldError: a checkout is no git work tree, or git is not there.
    """
    return frozenset((c.repo, path) for c in workspace.checkouts.values() for path in _changed(c))


def is_changed_line(workspace: Workspace, place: Place, touched: Files) -> bool:
    """True if a line of a touched file is not as it was in the last commit, or the file is new."""
    if (place.repo, place.path) not in touched:
        return False
    command = ["git", "-C", str(workspace[place.repo].root), "diff", "-U0", "HEAD", "--", place.path]
    done = subprocess.run(command, capture_output=True, check=False)
    hunks = [(int(start), int(length or b"1")) for start, length in _HUNK.findall(done.stdout)]
    return not hunks or any(start <= place.line < start + length for start, length in hunks)


def committed(workspace: Workspace, files: Files) -> dict[str, dict[str, bytes | None]]:
    """Return the bytes of some files in the last commit, by repository and path; None for a file that is new."""
    found: dict[str, dict[str, bytes | None]] = {}
    for repo, path in files:
        command = ["git", "-C", str(workspace[repo].root), "show", f"HEAD:./{path}"]
        done = subprocess.run(command, capture_output=True, check=False)
        found.setdefault(repo, {})[path] = None if done.returncode else done.stdout
    return found


def _changed(checkout: Checkout) -> list[str]:
    command = ["git", "-C", str(checkout.root), "status", "--porcelain=v1", "-z", "--no-renames", "-uall", "--", "."]
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except OSError as error:
        raise ScaffoldError(f"git cannot be run: {error.strerror}", next="leave --changed out") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines() or ["git failed"]
        raise ScaffoldError(
            f"git cannot tell what changed: {said[0]}", where=str(checkout.root), next="leave --changed out"
        )
    rows = [row for row in done.stdout.decode("utf-8", "surrogateescape").split("\0") if row]
    return [row[3:] for row in rows if row.endswith(".py")]
