"""Tells what is older than its templates, for people and for bots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from generator.plan.plan import Plan
from generator.scaffolds.previous import read_answers
from generator.scaffolds.scene import Scene

from .update import Job

SCHEMA = {"name": "scaffold/update-check", "version": 1}


@dataclass(frozen=True)
class Age:
    """How an id stands against its templates.

    Attributes:
        id: as applied.
        template: where the templates are from.
        version: what it was made or last updated by; None if nobody knows.
        latest: what the templates are now.
        outdated: an update would change something.
        conflicts: what an earlier update left open.
    """

    id: str
    template: str
    version: str | None
    latest: str
    outdated: bool
    conflicts: int

    @property
    def settled(self) -> bool:
        """True if there is nothing to do."""
        return not self.outdated and not self.conflicts


def ages(scene: Scene, jobs: Sequence[Job], plan: Plan) -> list[Age]:
    """Return the age of each id.

    Args:
        scene: the checkouts, as they were read.
        jobs: one for each id.
        plan: the update that these jobs come to; it is not applied.
    """
    return [_age(scene, job, plan) for job in jobs]


def _age(scene: Scene, job: Job, plan: Plan) -> Age:
    repo, answers = next(iter(job.answers.items()))
    before = _on_disk(scene, repo, job.id) or {}
    stepping = {id for step in plan.steps if step.kind != "present" for id in step.ids}
    differs = job.id in stepping or before.get("_commit") != answers["_commit"]
    entries = [e for page in scene.ledger.pages.values() for e in page.entries.values() if job.id in e.ids]
    return Age(
        job.id,
        answers["_src_path"],
        before.get("_commit"),
        answers["_commit"],
        differs,
        sum(entry.pending is not None for entry in entries),
    )


def _on_disk(scene: Scene, repo: str, id: str) -> dict | None:
    from generator.plan.tree import Tree

    return read_answers(Tree(scene.tree.roots), repo, id)


def to_json(found: Sequence[Age]) -> dict:
    """Return the documented JSON document `scaffold/update-check` version 1."""
    code = int(not all(age.settled for age in found))
    return {"schema": dict(SCHEMA), "command": "update --check", "exit": code, "ids": [asdict(age) for age in found]}
