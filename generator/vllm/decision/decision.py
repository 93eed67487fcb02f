"""The answer: one of four, with its reasons."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..finding import Finding


@dataclass(frozen=True)
class Place:
    """One list that a model has to be in, or may be forgotten in.

    Attributes:
        present: True if it is there already; None if this checkout has no such list.
        why: what happens otherwise.
    """

    name: str
    present: bool | None
    why: str
    repo: str = "vllm"
    path: str | None = None
    line: int | None = None

    def as_json(self) -> dict:
        """Return the documented object."""
        return dict(vars(self))


@dataclass
class Decision:
    """Attributes:
    kind: `registered`, `alias`, `subclass` or `new`.
    how: for `registered`: `exact key`, `suffix rule`, `vllm-ascend`, `transformers backend`.
    arch, module, cls, path: what serves it, or what to build on; None for `new`.
    near: architectures with almost this name. places: lists. portability: classes that vllm-ascend leaves as they are.
    """

    kind: str
    how: str | None = None
    arch: str | None = None
    module: str | None = None
    cls: str | None = None
    path: str | None = None
    line: int | None = None
    repo: str = "vllm"
    reasons: list[str] = field(default_factory=list)
    near: list[str] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    portability: list[dict] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    names: frozenset[str] = frozenset()

    @property
    def needs_code(self) -> bool:
        """True if somebody has to write a model class."""
        return self.kind in ("subclass", "new")

    def as_json(self) -> dict:
        """Return the documented object, without findings."""
        target = {k: getattr(self, k) for k in ("arch", "module", "cls", "path", "line", "repo")}
        return {
            "how": self.how,
            "modelling_code_needed": self.needs_code,
            "target": target if self.cls else None,
            "reasons": self.reasons,
            "near_misses": self.near,
            "places": [place.as_json() for place in self.places],
            "portability": self.portability,
        }
