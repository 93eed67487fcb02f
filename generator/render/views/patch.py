"""A patch of lmdeploy as the templates see it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class PatchView:
    """What `{% set patch = view() %}` gives in a template of kind `device-patch` or `quant-patch`.

    Args:
        answers: the answers of `copier.yml`.
    """

    def __init__(self, answers: Mapping[str, Any]):
        it = answers["patch"]
        self.vendor: str = answers["vendor"]
        self.layer = "C2" if answers["kind"] == "device-patch" else "C3"
        self.kind: str = it["kind"]
        self.binding: str = it["binding"]
        self.style: str = it["style"]
        self.path: str = it["path"]
        self.init: str = it["init"]
        self.list: str = it["list"]
        self.entry: str = it["entry"]
        self.after: str = it["after"]
        self.creates: bool = it["creates"]
        self.has_init: bool = it["has_init"]
        self.name: str = it["name"]
        self.original: str = it["original"]
        self.function: str = it["function"]
        self.title: str = it["title"]
        self.args: str = it["args"]
        self.imports: list[list[str]] = it["imports"]
        self._it = it

    @property
    def target(self) -> str:
        """The target as an attribute of what is imported: `StateCacheEngine.init_caches`, `gated_delta.GatedDelta`."""
        _, name, alias = self._it["holder"]
        names = [n for n in self._it["names"] if n != name]
        return ".".join([alias or name, *names])

    @property
    def holder(self) -> str:
        """The import of it."""
        module, name, _ = self._it["holder"]
        return f"from {module} import {name}"

    @property
    def fetched(self) -> str:
        """The expression for it: the plain function behind a class method or property."""
        return self.target + {"classmethod": ".__func__", "property": ".fget"}.get(self.binding, "")

    @property
    def decorator(self) -> str:
        """The decorator of the replacement; a property keeps its setter instead."""
        return "" if self.binding == "property" else self.binding

    @property
    def assigned(self) -> str:
        """What is assigned to the target."""
        return f"{self.target}.getter({self.name})" if self.binding == "property" else self.name

    @property
    def head(self) -> str:
        """The `def` of the replacement; the trailing comma makes black write several parameters one a line."""
        params = self._it["params"]
        text = ", ".join(params) + ("," if len(params) > 3 and not params[-1].startswith("*") else "")
        returns = f" -> {self._it['returns']}" if self._it["returns"] else ""
        name = "__init__" if self.kind == "class" else self.name
        return f"{'async ' if self._it['coroutine'] else ''}def {name}({text}){returns}:"

    @property
    def call(self) -> str:
        """The body: lmdeploy's own, with the same arguments."""
        if self.kind == "class":
            inner = self.args.partition(", ")[2]
            return f"super().__init__({inner})"
        return f"return {'await ' if self._it['coroutine'] else ''}{self.original}({self.args})"

    @property
    def import_lines(self) -> list[str]:
        """The import statements that the patch needs inside a function."""
        lines = [self.holder]
        for module, name, alias in self.imports:
            tail = f" as {alias}" if alias else ""
            lines.append(f"from {module} import {name}{tail}" if name else f"import {module}{tail}")
        return list(dict.fromkeys(lines))

    @property
    def module_imports(self) -> list[Mapping[str, str]]:
        """The same as fragments, for a module."""
        if self.style != "module":
            return []
        rows = [*([self._it["holder"]] if self._it["imports_holder"] else []), *self.imports]
        found = {tuple(row): row for row in rows}
        return [{"module": m, "item": n, "alias": a, "slug": f"{m}-{n or a}".strip("-")} for m, n, a in found.values()]
