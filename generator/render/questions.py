"""Answers of an earlier template version, as another version asks for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.errors import ScaffoldError

from .folder import Renderer
from .template import Template


def questions(renderer: Renderer) -> dict[str, Any]:
    """Return the questions of `copier.yml`, without its settings.

    Raises:
        ScaffoldError: it is missing or no YAML mapping.
    """
    import yaml

    try:
        found = yaml.safe_load((renderer.root / "copier.yml").read_bytes())
    except (OSError, yaml.YAMLError) as error:
        raise ScaffoldError(f"cannot read the questions of these templates: {error}", where="copier.yml") from None
    if not isinstance(found, dict):
        raise ScaffoldError("this is no list of questions", where="copier.yml")
    return {name: question for name, question in found.items() if not name.startswith("_")}


def answers_at(template: Template, renderer: Renderer, before: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answers as these templates remember them: known ones again, new ones by their default, old ones gone.

    A question that these answers do not raise (its `when` is false) is not remembered, as copier does.

    Raises:
        ScaffoldError: a question without a default is new.
    """
    return {**template.answers, **asked(renderer, before)}


def asked(renderer: Renderer, before: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer to every question that these answers raise; see `answers_at`."""
    answers: dict[str, Any] = {}
    for name, question in questions(renderer).items():
        known = {**before, **answers}
        if _is_asked(question, renderer, known):
            answers[name] = before[name] if name in before else _default(name, question, renderer, known)
    return answers


def _is_asked(question: Any, renderer: Renderer, known: Mapping[str, Any]) -> bool:
    when = question.get("when", True) if isinstance(question, dict) else True
    if isinstance(when, str):
        import yaml

        when = yaml.safe_load(renderer.env.from_string(when).render(known))
    return bool(when)


def _default(name: str, question: Any, renderer: Renderer, known: Mapping[str, Any]) -> Any:
    if not isinstance(question, dict) or "default" not in question:
        raise ScaffoldError(f"the new question `{name}` has no default", where="copier.yml", next="give it one")
    value = question["default"]
    if isinstance(value, str):
        value = renderer.env.from_string(value).render(known)
        if question.get("type") in ("yaml", "int", "float", "bool"):
            import yaml

            value = yaml.safe_load(value)
    return value
