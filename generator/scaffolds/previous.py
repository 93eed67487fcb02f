"""The answers that were given when something was applied before: they are taken again, so that nothing is asked twice."""

from __future__ import annotations

from typing import Any

from generator.errors import ScaffoldError
from generator.plan.places import FOLDER

from .scene import Scene


def answers_path(id: str) -> str:
    """Where the answers of an id are, relative to a checkout."""
    return f"{FOLDER}/{id}/answers.yml"


def previous_answers(scene: Scene, kind: str, name: str, repo: str) -> dict[str, dict[str, Any]]:
    """Return vendor to answers, for every id of that kind and name in a checkout.

    Raises:
        ScaffoldError: an answers file is no YAML mapping.
    """
    page = scene.ledger.pages[repo]
    found = {}
    for applied in page.ids.values():
        if (applied.kind, applied.name) != (kind, name):
            continue
        data = scene.tree.read(repo, answers_path(applied.id))
        if data is not None:
            answers = _load(data, f"{repo}/{answers_path(applied.id)}")
            found[answers["vendor"]] = answers
    return found


def _load(data: bytes, where: str) -> dict[str, Any]:
    import yaml

    try:
        answers = yaml.safe_load(data)
    except yaml.YAMLError as error:
        raise ScaffoldError(f"the answers file is no YAML: {error}", where=where) from None
    if not isinstance(answers, dict) or "vendor" not in answers:
        raise ScaffoldError("the answers file holds no answers", where=where, next="undo the id and apply it again")
    return answers
