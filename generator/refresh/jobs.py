"""Which ids an update is about, and what each is to become."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any

from generator.errors import ScaffoldError
from generator.plan.ledger import Ledger
from generator.render.folder import Renderer
from generator.render.questions import answers_at
from generator.render.template import Template
from generator.scaffolds.previous import answers_path, read_answers
from generator.scaffolds.scene import Scene

from .update import Job

Answers = Mapping[str, Any]


def ids_of(ledger: Ledger, target: str | None) -> list[str]:
    """Return the ids that an update is about: all, or those of an id or name and those that share a step with them.

    Raises:
        ScaffoldError: nothing of that id or name was applied.
    """
    known = ledger.ids()
    if target is None:
        return list(known)
    asked = {id for id, applied in known.items() if target in (id, applied.name)}
    if not asked:
        near = get_close_matches(target, known) or list(known)[:5]
        next = f"choose one of: {', '.join(near)}" if near else "nothing is applied in these checkouts"
        raise ScaffoldError(f"nothing called {target} was applied", next=next)
    for _, entry in ledger.entries(asked):
        asked |= set(entry.ids)
    return [id for id in known if id in asked]


def jobs_of(
    scene: Scene,
    ids: list[str],
    source: Callable[[Answers], Template],
    change: Callable[[str, Answers], Answers] = lambda repo, answers: answers,
) -> list[Job]:
    """Return a job for each id.

    Args:
        source: the templates for an id, by its answers.
        change: new answers for the answers in a checkout.

    Raises:
        ScaffoldError: an id has no answers, or they are newer than the templates.
    """
    renderers: dict[Any, Renderer] = {}
    jobs = []
    for id in ids:
        found, template = {}, None
        for repo, page in scene.ledger.pages.items():
            if id not in page.ids:
                continue
            answers = read_answers(scene.tree, repo, id)
            if answers is None:
                what = f"the answers of {id} are gone"
                raise ScaffoldError(what, where=f"{repo}/{answers_path(id)}", next="undo it and apply it again")
            template = source(answers)
            _refuse_older(id, answers, template)
            renderer = renderers.setdefault(template.root, Renderer(template.root))
            found[repo] = answers_at(template, renderer, change(repo, answers))
        if template is not None:
            jobs.append(Job(id, template.root, found))
    return jobs


def _refuse_older(id: str, answers: Answers, template: Template) -> None:
    """A merge goes forward: an older version would take back what a newer one brought, edits and all."""
    from packaging.version import InvalidVersion, Version

    before = answers.get("_commit")
    try:
        if before and answers.get("_src_path") == template.url and Version(before) > Version(template.commit):
            what = f"{id} was made by templates {before}, which are newer than {template.commit}"
            raise ScaffoldError(what, next="install a newer scaffold, or undo it and apply it again")
    except InvalidVersion:
        return
