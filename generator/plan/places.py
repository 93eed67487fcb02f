"""Where the bookkeeping of a checkout is kept. None of these may be a symlink."""

from __future__ import annotations

import os
from pathlib import Path

from generator.errors import ScaffoldError

FOLDER = ".scaffold"
LEDGER = f"{FOLDER}/ledger.json"
LOCK = f"{FOLDER}/lock"
HOLDER = f"{FOLDER}/holder"
STAGING = f"{FOLDER}/tx"
JOURNAL = f"{FOLDER}/journal.json"
COMMIT = f"{FOLDER}/commit"


def leftovers(root: Path) -> bool:
    """Tell whether a command is writing to this checkout, or was killed while it was."""
    return any(os.path.lexists(root / path) for path in (JOURNAL, COMMIT, STAGING))


def require_no_links(root: Path, repo: str) -> None:
    """Raise ScaffoldError if a bookkeeping file is a symlink: a checkout may come from anybody."""
    for path in (FOLDER, LOCK, HOLDER, STAGING, JOURNAL, COMMIT):
        if (root / path).is_symlink():
            raise ScaffoldError(f"{path} is a symlink", where=f"{repo}/{path}", next="remove it")
