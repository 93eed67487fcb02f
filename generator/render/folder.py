"""Renders one template folder into paths and texts, as `copier copy` would write them.

Copier itself costs 0.6 s to import; a test (`tests/render/test_same_as_copier.py`) holds this against it byte by byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from generator.errors import ScaffoldError

SUFFIX = ".jinja"
_NAME = "name:"
_YIELD = re.compile(r"\{% yield (\w+) from (.+?) %\}(.*)\{% endyield %\}(.*)", re.DOTALL)


class Renderer:
    """Renders folders of one template root.

    Args:
        root: the folder that holds `copier.yml` and `templates/`.
    """

    def __init__(self, root: Path):
        from jinja2 import ChoiceLoader, FileSystemLoader, FunctionLoader, StrictUndefined
        from jinja2.sandbox import SandboxedEnvironment

        from .cache import bytecode_cache
        from .extension import ScaffoldExtension
        from .root import template_root

        self.root = root
        # The same options as `_envops` in copier.yml.
        self.env = SandboxedEnvironment(
            # A file's name is a template too; loading it by itself lets the cache keep it compiled.
            loader=ChoiceLoader([FileSystemLoader(str(root)), FunctionLoader(_source_of_name)]),
            extensions=[ScaffoldExtension],
            undefined=StrictUndefined,
            keep_trailing_newline=True,
            trim_blocks=True,
            lstrip_blocks=True,
            bytecode_cache=bytecode_cache() if root == template_root() else None,
        )
        self.env.filters["to_nice_yaml"] = _to_nice_yaml

    def render(self, answers: Mapping[str, Any]) -> dict[str, str]:
        """Render `templates/<vendor>/<kind>/<repo>` into checkout-relative path → text.

        Args:
            answers: all questions of `copier.yml`.

        Raises:
            ScaffoldError: there is no such folder, or a template fails.
        """
        folder = self.root / "templates" / answers["vendor"] / answers["kind"] / answers["repo"]
        if not folder.is_dir():
            raise ScaffoldError(
                f"there are no templates for `{answers['kind']}` of {answers['vendor']} in {answers['repo']}",
                where=str(folder.relative_to(self.root)),
            )
        context = {**answers, "_copier_answers": dict(answers)}
        return dict(self._render_folder(folder, "", context))

    def _render_folder(self, folder: Path, target: str, context: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        for entry in sorted(folder.iterdir()):
            for name, extra in self._names(entry.name, context):
                inner = {**context, **extra}
                path = f"{target}/{name}" if target else name
                if entry.is_dir():
                    yield from self._render_folder(entry, path, inner)
                else:
                    yield path, self._render_file(entry, inner)

    def _names(self, name: str, context: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        """The names that a template's name renders to: none if it renders empty, several for a `yield`."""
        stem = name.removesuffix(SUFFIX)
        if found := _YIELD.fullmatch(stem):
            variable, items, inner, rest = found.groups()
            for item in self.env.compile_expression(items, undefined_to_none=False)(**context):
                extra = {variable: item}
                yield self._render_name(inner + rest, {**context, **extra}), extra
            return
        rendered = self._render_name(stem, context) if "{" in stem else stem
        if rendered and rendered != SUFFIX:
            yield rendered, {}

    def _render_name(self, name: str, context: Mapping[str, Any]) -> str:
        return self.env.get_template(_NAME + name).render(context)

    def _render_file(self, path: Path, context: Mapping[str, Any]) -> str:
        if path.suffix != SUFFIX:
            return path.read_bytes().decode()
        return self.env.get_template(path.relative_to(self.root).as_posix()).render(context)


def _source_of_name(template: str) -> str | None:
    return template.removeprefix(_NAME) if template.startswith(_NAME) else None


def _to_nice_yaml(value: Any) -> str:
    import yaml

    return yaml.dump(value, indent=4, allow_unicode=True, default_flow_style=False)
