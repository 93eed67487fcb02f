"""One refresh of any number of ids over all checkouts, as one plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from generator import __version__
from generator.plan.builder import PlanBuilder
from generator.plan.places import FOLDER
from generator.plan.plan import Plan
from generator.render.folder import Renderer
from generator.scaffolds.build import NewFile
from generator.scaffolds.previous import read_answers
from generator.scaffolds.scene import Scene

from .created import Describe, refresh_created
from .inline import write_marks
from .inserted import SAME_LINES, refresh_insertions
from .pairs import pair_fragments
from .pieces import ENDING, Rendered, kept_fragments, render
from .settle import settle
from .work import Work


@dataclass(frozen=True)
class Job:
    """What one id is to become.

    Attributes:
        id: as applied.
        root: the template root to render.
        answers: checkout to all answers, `_commit` and `_src_path` among them.
    """

    id: str
    root: Path
    answers: Mapping[str, Mapping[str, Any]]


def plan_update(scene: Scene, jobs: Sequence[Job], *, command: str, inline: bool = False) -> Plan:
    """Plan to bring these ids to their new answers and templates.

    What was generated and not touched follows; edits are merged in; what cannot be merged stays as the user has it, is
    listed as a conflict and stays open in the ledger. An id with an open conflict from before waits until that is
    resolved.

    Args:
        inline: write conflicts in files that the templates do not own there too, between markers.

    Raises:
        ScaffoldError, SourceError: a template fails, a file is no Python, or the place of a new insertion is missing;
            nothing is written.
    """
    known = scene.ledger.ids()
    builder = PlanBuilder(scene.tree, scene.ledger, [known[job.id] for job in jobs], track=scene.track)
    work = Work(builder, inline)
    waiting = settle(work, [job.id for job in jobs])
    ready = [job for job in jobs if job.id not in waiting]
    for job in ready:
        _tell_version(work, job)
    renderers = {root: Renderer(root) for root in {job.root for job in ready}}
    for repo in scene.tree.roots:
        here = [job for job in ready if repo in job.answers]
        if here:
            _refresh(work, repo, {job.id: render(renderers[job.root], job.answers[repo]) for job in here})
    _finish(work)
    return builder.build(command=command)


def _tell_version(work: Work, job: Job) -> None:
    repo, answers = next(iter(job.answers.items()))
    before = (read_answers(work.tree, repo, job.id) or {}).get("_commit")
    if before != answers["_commit"]:
        work.builder.note("note", f"{job.id}: templates {before or 'of unknown version'} -> {answers['_commit']}")


def _refresh(work: Work, repo: str, rendered: Mapping[str, Rendered]) -> None:
    page, ids = work.page(repo), tuple(rendered)
    files = {path: data for one in rendered.values() for path, data in one.files.items()}
    refresh_created(work, repo, ids, files, describe(page.ids[ids[0]].kind))
    old = {id: kept_fragments(work.tree, repo, id) for id in ids}
    new = {id: one.fragments for id, one in rendered.items()}
    refresh_insertions(work, repo, pair_fragments(page, old, new))
    for id, one in rendered.items():
        page.ids[id] = replace(page.ids[id], version=__version__)
        _keep(work, repo, id, one)


def _keep(work: Work, repo: str, id: str, rendered: Rendered) -> None:
    """The new fragments and answers are what the next refresh starts from."""
    for path in list(work.tree.files(repo, f"{FOLDER}/{id}")):
        if path.endswith(ENDING) and path not in rendered.kept:
            work.tree.delete(repo, path)
    for path, data in rendered.kept.items():
        if work.tree.read(repo, path) != data:
            work.tree.write(repo, path, data)


def _finish(work: Work) -> None:
    write_marks(work)
    for (repo, path), data in work.late.items():
        work.tree.write(repo, path, data)
        work.builder.marked.add((repo, path))
    for repo, path in work.marks:
        for entry in work.page(repo).of_path(path):
            if entry.pending and not entry.pending["file"]:
                next = "resolve the markers, then run `scaffold update` again"
                work.open(repo, entry, SAME_LINES.replace("yours are kept", "both stand there, between markers"), next)


_MODULES = {"device-patch": "patch", "quant-patch": "patch"}


def describe(kind: str) -> Describe:
    """Return what tells what a new file of a kind is; of a kind that only inserts, nothing is known."""
    try:
        found = import_module(f"generator.scaffolds.{_MODULES.get(kind, kind).replace('-', '_')}").describe
    except (ImportError, AttributeError):
        return lambda path: NewFile(None, path.rpartition("/")[2], "")
    return partial(found, kind=kind) if kind in _MODULES else found
