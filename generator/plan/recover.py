"""Finishes or reverts what a killed command left behind."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from generator.errors import ScaffoldError

from . import disk
from .journal import Journal
from .lock import LOCK_SECONDS, locked
from .places import COMMIT, FOLDER, JOURNAL, leftovers
from .side import Side, clear_staging


@dataclass(frozen=True)
class Recovered:
    """What became of one command that was killed.

    Attributes:
        outcome: all of its files are in place, or none is.
        command: what it was, "" if it had not come far enough to say.
        repos: the checkouts it was writing to.
        kept: files (`repo/path`) that somebody changed since the kill and that were left as they are.
    """

    outcome: Literal["finished", "reverted"]
    command: str
    repos: tuple[str, ...]
    kept: tuple[str, ...] = ()


def recover(roots: Mapping[str, Path], *, lock_seconds: float = LOCK_SECONDS) -> list[Recovered]:
    """Settle what killed commands left in these checkouts; call it before a command does anything else.

    Without leftovers nothing is locked or written. It may itself be killed, and called again.

    Raises:
        ScaffoldError: a command that is still running holds the lock, a journal is unreadable, or it takes in a
            checkout that is not among `roots`.
    """
    places = {repo: Path(os.path.realpath(root)) for repo, root in roots.items()}
    if not any(map(leftovers, places.values())):
        return []
    # A command makes `.scaffold/` everywhere before it stages anything, so these are all it can have been writing to.
    used = {repo: root for repo, root in places.items() if (root / FOLDER).is_dir()}
    try:
        with locked(used, "recover", lock_seconds):
            return [*_settle_journals(places), *_clear_orphans(places)]
    except OSError as error:
        what = f"a killed command could not be cleaned up: {error.strerror}"
        raise ScaffoldError(what, where=error.filename, next="correct that, then run `scaffold status`") from error


def _settle_journals(places: Mapping[str, Path]) -> list[Recovered]:
    sides: dict[str, list[Side]] = {}
    for repo, root in places.items():
        journal = Journal.read(root, repo)
        if journal is not None:
            sides.setdefault(journal.tx, []).append(Side(repo, root, journal))
    return [_settle(group, places) for group in sides.values()]


def _settle(sides: list[Side], places: Mapping[str, Path]) -> Recovered:
    one = sides[0]
    checkouts = [Path(os.path.realpath(one.root / path)) for path in one.journal.checkouts]
    leader = Path(os.path.realpath(one.root / one.journal.leader))
    _require_all(checkouts, places)
    took_part = {repo: root for repo, root in places.items() if root in checkouts}
    finish = leader in places.values() and _committed(leader, one.journal.tx)
    kept = []
    for side in sides:
        kept += [f"{side.repo}/{path}" for path in (side.forward() if finish else side.back())]
    for root in took_part.values():
        if not os.path.lexists(root / JOURNAL):
            clear_staging(root)
    for side in sides:
        side.clear()
    if finish:
        disk.unlink(leader / COMMIT)
    return Recovered("finished" if finish else "reverted", one.journal.command, tuple(took_part), tuple(kept))


def _require_all(checkouts: list[Path], places: Mapping[str, Path]) -> None:
    for root in checkouts:
        if root not in places.values() and leftovers(root):
            raise ScaffoldError(
                "a killed command was writing to this checkout too",
                where=str(root),
                next="give that checkout as well, so that both are settled together",
            )


def _committed(leader: Path, tx: str) -> bool:
    try:
        return (leader / COMMIT).read_text() == tx
    except FileNotFoundError:
        return False


def _clear_orphans(places: Mapping[str, Path]) -> list[Recovered]:
    """Clear what was staged but never journalled (nothing was changed), and a mark that outlived its journal."""
    found = {repo: root for repo, root in places.items() if leftovers(root)}
    finished = any(os.path.lexists(root / COMMIT) for root in found.values())
    for root in found.values():
        clear_staging(root)
        disk.unlink(root / COMMIT)
    return [Recovered("finished" if finished else "reverted", "", tuple(found))] if found else []
