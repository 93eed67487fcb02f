"""A graph buffer as the templates see it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_RUNTIME = ("batch", "token", "blocks")


class GraphBufferView:
    """What `{% set buffer = view() %}` gives in a template of kind `graph-buffer`.

    Args:
        answers: the answers of `copier.yml`.
    """

    def __init__(self, answers: Mapping[str, Any]):
        self.name: str = answers["name"]
        it = answers["buffer"]
        self.owner: str = it["owner"]
        self.path: str = it["path"]
        self.scopes: Mapping[str, str] = it["scopes"]
        self.places: list[str] = it["places"]
        self.flags: list[Mapping[str, str]] = it["flags"]
        self.when: str = it["when"]
        self.anchor: str = it["anchor"]
        self.binds_moe: bool = it["binds_moe"]
        self.constant: bool = it["constant"]
        self.optional: bool = it["optional"]
        self._it = it

    @property
    def own(self) -> str:
        """The buffer itself."""
        return f'input_buffers["{self.name}"]'

    @property
    def allocation(self) -> str:
        """The expression that makes it, every entry with the value of the padding."""
        if self.constant:
            return self._it["fill"]
        texts = [text for text, _, _ in self._it["dims"]]
        options = f"dtype=torch.{self._it['dtype']}, device=device"
        size = texts[0] if len(texts) == 1 else f"({', '.join(texts)})"
        factory = {"0": "zeros", "False": "zeros", "last": "zeros", "1": "ones", "True": "ones"}.get(self._it["fill"])
        if factory:
            return f"torch.{factory}({size}, {options})"
        size = f"({texts[0]},)" if len(texts) == 1 else size
        return f"torch.full({size}, {self._it['fill']}, {options})"

    @property
    def needs_context(self) -> bool:
        """True if the fill asks for the current step context."""
        return "fill" in self.places and (self.owner == "step_context" or self.needs_moe)

    @property
    def needs_moe(self) -> bool:
        """True if the fill has to fetch the MoE metadata first."""
        return "fill" in self.places and self.owner == "moe_metadata" and not self.binds_moe

    @property
    def moe_metadata(self) -> str:
        """Where the fill takes the MoE metadata from."""
        context = "get_step_ctx_manager().current_context()"
        return f'getattr({context}, "moe_metadata", None)' if self.optional else f"{context}.moe_metadata"

    @property
    def value(self) -> str:
        """Where the fill takes the values of a step from; None where there are none."""
        owner = "get_step_ctx_manager().current_context()" if self.owner == "step_context" else self.owner
        field = f"{owner}.{self.name}"
        if not self._it["declared"]:
            return f'getattr({owner}, "{self.name}", None)'
        return f"{field}[0] if {field} else None" if self._it["sequence"] else field

    @property
    def handed(self) -> str:
        """What the model gets: the whole buffer, or a slice of it where the file hands out slices."""
        cut, index = self._it["slice"], []
        for _, kind, extra in self._it["dims"] if cut else ():
            index.append(f": {cut} + {extra}" if extra else f": {cut}" if kind in ("batch", "token") else ":")
        while index and index[-1] == ":":
            index.pop()
        handed = f"{self.own}[{', '.join(index)}]" if index else self.own
        return f"[{handed}]" if self._it["sequence"] else handed

    @property
    def reset(self) -> str:
        """All of it is padding."""
        return self._padding(self.own, "0" if self._it["fill"] == "last" else self._it["fill"])

    @property
    def tails(self) -> list[str]:
        """The indices of the regions that the values of a step leave over."""
        dims = self._it["dims"]
        found = []
        for at, (_, kind, _) in enumerate(dims):
            if kind in _RUNTIME:
                before = [self._upto(i) for i in range(at)]
                found.append(f"[{', '.join([*before, self._size(at) + ' :'])}]")
        return found

    def pad(self, index: str) -> str:
        """Put the padding's value into such a region."""
        if self._it["fill"] == "last":
            return f"{self.own}{index} = {self.name}[-1]"
        return self._padding(f"{self.own}{index}", self._it["fill"])

    @property
    def copied(self) -> str:
        """Copy the values of a step."""
        index = [self._upto(i) for i in range(len(self._it["dims"]))]
        while index and index[-1] == ":":
            index.pop()
        if not index:
            return f"{self.own}.copy_({self.name})"
        target = f"{self.own}[{', '.join(index)}]"
        return f"{target}.copy_({self.name})" if len(self._it["dims"]) == 1 else f"{target} = {self.name}"

    @property
    def context_target(self) -> str:
        """Where `update_context_cudagraph` hands it on."""
        if self.owner == "moe_metadata":
            return f"context.moe_metadata.{self.name}"
        return f"context.{self._it['context_name'] if self.owner == 'kwarg' else self.name}"

    @property
    def context_guard(self) -> str:
        """The condition for that, where the context may lack the owner."""
        return 'getattr(context, "moe_metadata", None) is not None' if self.optional else ""

    def blanks(self, place: str) -> int:
        """How many blank lines set a place off: one above a block under a condition at the end of a method."""
        if place == "fill" and self.anchor:
            return 0
        return int(bool(self.when or (self.optional and place != "make")))

    def guard(self, *tests: str) -> list[str]:
        """The line of an `if` over all tests that are not empty; no line if there is none."""
        given = [t for t in tests if t]
        if len(given) > 1:
            given = [f"({t})" if " or " in t or " if " in t else t for t in given]
        return [f"if {' and '.join(given)}:"] if given else []

    def _padding(self, target: str, value: str) -> str:
        zero = value == "0" and len(self._it["dims"]) > 1
        return f"{target}.zero_()" if zero else f"{target}.fill_({value})"

    def _size(self, at: int) -> str:
        last = at and at == len(self._it["dims"]) - 1
        return f"{self.name}.size({-1 if last else at})"

    def _upto(self, at: int) -> str:
        return f": {self._size(at)}" if self._it["dims"][at][1] in _RUNTIME else ":"
