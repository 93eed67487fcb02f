"""The answers that were given when something was applied before: taken again, so that nothing is asked twice."""

from __future__ import annotations

from typing import Any

from generator.errors import ScaffoldError
from generator.plan.places import FOLDER
from generator.plan.tree import Tree

from .scene import Scene


def answers_path(id: str) -> str:
    """Where the answers of an id are, relative to a checkout."""
    return f"{FOLDER}/{id}/answers.yml"


def previous_answers(scene: Scene, kind: str, name: str, repo: str) -> dict[str, dict[str, Any]]:
    """Return vendor to answers, for every id of that kind and name in a checkout.

    Raises:
        ScaffoldError: an answers file is no YAML mapping, or is of other templates than those that would be rendered:
            what vendors share would not agree.
    """
    page = scene.ledger.pages[repo]
    found = {}
    for applied in page.ids.values():
        if (applied.kind, applied.name) != (kind, name):
            continue
        answers = read_answers(scene.tree, repo, applied.id)
        if answers is not None:
            _refuse_other_templates(answers, scene, applied.id, repo)
            found[answers["vendor"]] = answers
    return found


def _refuse_other_templates(answers: dict[str, Any], scene: Scene, id: str, repo: str) -> None:
    ours = scene.template.answers
    theirs = {key: answers.get(key, value) for key, value in ours.items()}
    if theirs != ours:
        raise ScaffoldError(
            f"{id} was made by templates {theirs['_commit']} of {theirs['_src_path']}, these are {ours['_commit']}",
            where=f"{repo}/{answers_path(id)}",
            next=f"run `scaffold update {id}` first",
        )


def read_answers(tree: Tree, repo: str, id: str) -> dict[str, Any] | None:
    """Return the answers of an id in a checkout, or None if it has none there.

    Raises:
        ScaffoldError: the file is no YAML mapping.
    """
    data = tree.read(repo, answers_path(id))
    return None if data is None else _load(data, f"{repo}/{answers_path(id)}")


def _load(data: bytes, where: str) -> dict[str, Any]:
    import yaml

    try:
        answers = yaml.safe_load(data)
    except yaml.YAMLError as error:
        raise ScaffoldError(f"the answers file is no YAML: {error}", where=where) from None
    if not isinstance(answers, dict) or "vendor" not in answers:
        raise ScaffoldError("the answers file holds no answers", where=where, next="undo the id and apply it again")
    return answers
