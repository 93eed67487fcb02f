"""A field of a step's metadata as the templates see it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_WIDTHS = {"lmdeploy": 120, "dlinfer": 88}


class ContextFieldView:
    """What `{% set it = view() %}` gives in a template of kind `context-field`.

    Args:
        answers: the answers of `copier.yml`.
    """

    def __init__(self, answers: Mapping[str, Any]):
        it = answers["context_field"]
        self.repo: str = answers["repo"]
        self.home: Mapping[str, str] = it["home"]
        self.annotation: str = it["annotation"]
        self.default: str = it["default"]
        self.value: str = it["value"]
        self.path: str = it["path"]
        self.cls: str = it["cls"]
        self.base: str = it["base"]
        self.scope: str = it["scope"]
        self.opening: str = it["opening"]
        self.callee: str = it["callee"]
        self.helper: str = it["helper"]
        self.places: list[str] = it["places"]
        self.build: list[str] = it["build"]
        self._it = it

    @property
    def here(self) -> list[str]:
        """The places in this checkout; the field itself is declared in one of the two."""
        found = [p for p in self.places if (p == "field") == (self.home["repo"] == self.repo) or p != "field"]
        if self.repo != "lmdeploy":
            return [p for p in found if p == "field"]
        return [*found, *(["helper"] if self.helper and "value" in found else [])]

    @property
    def imports(self) -> list[list[str]]:
        """Module and name of what the annotation needs in this checkout."""
        return self._it["imports"] if "field" in self.here else []

    @property
    def width(self) -> int:
        """The longest line of the declaring file."""
        return _WIDTHS[self.home["repo"]]

    def shape_head(self, name: str) -> str:
        """The `def` of a block shape, one parameter a line."""
        params, _, returns = self._it["shapes"][name].partition(") -> ")
        rows = "".join(f"    {p},\n" for p in params.removeprefix("(").rstrip(")").split(", "))
        return f"def {name}(\n{rows}) -> {returns}:" if returns else f"def {name}(\n{rows}):"

    def shape_args(self, name: str) -> str:
        """The parameters of a block shape as arguments."""
        params = self._it["shapes"][name].partition(") -> ")[0].removeprefix("(").rstrip(")").split(", ")
        return ", ".join(p.partition(":")[0] for p in params)
