"""Writes a plan: all files of all checkouts, or none."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from generator.errors import ScaffoldError

from . import disk
from .exclude import exclude_bookkeeping
from .journal import Journal, Swap, digest
from .lock import LOCK_SECONDS, locked
from .places import COMMIT, leftovers
from .plan import Plan
from .recover import recover
from .side import Side, commit
from .tree import Change, Tree


def apply(plan: Plan, *, lock_seconds: float = LOCK_SECONDS) -> list[Change]:
    """Write a plan's changes and return them; a plan without any touches nothing.

    The new bytes are staged in each checkout's `.scaffold/`, journals are written, the first checkout's commit mark
    decides, and only then are files renamed into place. What stops before the mark is reverted, what is killed after it
    is finished by `recover`.

    Raises:
        ScaffoldError: a file changed since it was planned, another command is writing, or the disk refused; in each
            case every file has its old bytes.
    """
    changes = plan.changes
    if not changes:
        return []
    roots = {repo: plan.tree.roots[repo] for repo in dict.fromkeys(change.repo for change in changes)}
    recover(plan.tree.roots, lock_seconds=lock_seconds)
    with locked(roots, plan.command, lock_seconds):
        _refuse_if_moved(plan.tree, roots)
        sides = _sides(plan, roots, changes)
        try:
            _write(sides, changes, track=plan.track)
        except BaseException as error:
            _take_back(sides, error)
        _clear(sides)
    return changes


def _write(sides: list[Side], changes: list[Change], *, track: bool) -> None:
    for side in sides:
        if not track:
            exclude_bookkeeping(side.repo, side.root)
        side.stage([change for change in changes if change.repo == side.repo])
    commit(sides[0].root, sides[0].journal.tx)
    for side in sides:
        for path in side.forward():
            raise ScaffoldError("this file was changed while the plan was being applied", where=f"{side.repo}/{path}")


def _take_back(sides: list[Side], error: BaseException) -> None:
    """Restore every file and raise what stopped the plan."""
    try:
        disk.unlink(sides[0].root / COMMIT)
        for side in sides:
            side.back()
        for side in sides:
            side.clear()
    except OSError as again:
        what = f"{_reason(error)}, and then the files could not all be put back: {_reason(again)}"
        raise ScaffoldError(what, next="when the disk can be written to again, run `scaffold status`") from error
    if isinstance(error, OSError):
        raise ScaffoldError(f"{_reason(error)}; nothing was changed", where=_place(sides, error)) from error
    raise error


def _clear(sides: list[Side]) -> None:
    # The plan is applied. Whatever happens now, an error or Ctrl-C, does not make that untrue, and what is left over is
    # cleared by the next command. The mark goes last: it is what says that the rest is finished.
    try:
        for side in sides:
            side.clear()
        disk.unlink(sides[0].root / COMMIT)
    except BaseException:
        return


def _refuse_if_moved(tree: Tree, roots: Mapping[str, Path]) -> None:
    if any(map(leftovers, roots.values())):
        raise ScaffoldError("another command was killed just now", next="run the command again")
    moved = tree.moved()
    if moved:
        what = f"{len(moved)} file(s) changed since this was planned: {', '.join(moved)}"
        raise ScaffoldError(what, where=moved[0], next="run the command again")


def _sides(plan: Plan, roots: Mapping[str, Path], changes: list[Change]) -> list[Side]:
    tx, leader = secrets.token_hex(8), next(iter(roots.values()))
    sides = []
    for repo, root in roots.items():
        own = [change for change in changes if change.repo == repo]
        journal = Journal(
            tx,
            plan.command,
            os.path.relpath(leader, root),
            tuple(os.path.relpath(other, root) for other in roots.values()),
            tuple(Swap(change.path, digest(change.before), digest(change.after)) for change in own),
            _missing_folders(root, own),
            tuple(folder for owner, folder in plan.tree.pruned if owner == repo),
        )
        sides.append(Side(repo, root, journal))
    return sides


def _missing_folders(root: Path, changes: list[Change]) -> tuple[str, ...]:
    """Return the folders that the new files need and that are not there, outermost first."""
    parents = {str(parent) for change in changes for parent in PurePosixPath(change.path).parents}
    return tuple(sorted(parent for parent in parents if not (root / parent).is_dir()))


def _reason(error: BaseException) -> str:
    if isinstance(error, OSError):
        return f"cannot write: {error.strerror or error}"
    return str(error) or type(error).__name__


def _place(sides: list[Side], error: OSError) -> str | None:
    for side in sides:
        for name in (error.filename2, error.filename):
            if isinstance(name, (str, Path)) and Path(name).is_relative_to(side.root):
                return f"{side.repo}/{Path(name).relative_to(side.root).as_posix()}"
    return None
