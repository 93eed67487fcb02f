"""Rotary embeddings. Types: those `get_rope` of vLLM dispatches on; anything else raises there."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..finding import Finding
from .fields import Config, Field

TYPES = {
    "default",
    "proportional",
    "llama3",
    "mllama4",
    "linear",
    "ntk",
    "dynamic",
    "xdrope",
    "yarn",
    "deepseek_yarn",
    "deepseek_llama_scaling",
    "longrope",
    "su",
    "openpangu",
    "telechat3-yarn",
    "mrope",
}
PARTIAL = ("partial_rotary_factor", "rotary_pct", "rotary_percent", "rotary_emb_fraction", "rotary_dim")


@dataclass
class Rope:
    """Attributes:
    types: the rope type, or one for each layer type when they differ.
    """

    types: list[str]
    theta: object = None
    mrope: bool = False
    partial: str | None = None
    nested: bool = False
    says: list[str] = field(default_factory=list)

    def as_json(self) -> dict:
        """Return the documented object."""
        return {
            "type": self.types[0] if self.types else None,
            "types": self.types,
            "theta": self.theta,
            "mrope": self.mrope,
            "partial": self.partial,
            "nested": self.nested,
            "says": self.says,
        }


def read_rope(config: Config) -> Rope | None:
    """Return the rotary embedding of the language model, or None if nothing names one."""
    found = config.text_get("rope_parameters", "rope_scaling") or config.root_get("rope_parameters", "rope_scaling")
    theta = config.get("rope_theta", "rotary_emb_base", "rope_base")
    partial = config.get(*PARTIAL)
    parts = _parts(found)
    if found is None and theta is None and partial is None:
        return None
    says = [f.says() for f in (found, theta, partial) if f]
    types = list(dict.fromkeys(_type(part) for part in parts)) or ["default"]
    _report(config, found, types)
    inner = next((p[n] for p in parts for n in PARTIAL if p.get(n) is not None), None)
    thetas = [p["rope_theta"] for p in parts if p.get("rope_theta") is not None]
    return Rope(
        types,
        theta.value if theta else (thetas[0] if thetas else None),
        any(p.get("mrope_section") or _type(p) == "mrope" for p in parts),
        partial.says() if partial else None if inner is None else f"{found.path}: {inner}",
        _nested(found),
        says,
    )


def _nested(found: Field | None) -> bool:
    value = found.value if found else None
    return isinstance(value, dict) and bool(value) and all(isinstance(part, dict) for part in value.values())


def _parts(found: Field | None) -> list[dict]:
    if found is None or not isinstance(found.value, dict):
        return []
    return list(found.value.values()) if _nested(found) else [found.value]


def _type(part: dict) -> str:
    value = part.get("rope_type") or part.get("type") or "default"
    return value if isinstance(value, str) else "default"


def _report(config: Config, found: Field | None, types: list[str]) -> None:
    for name in types:
        if name not in TYPES:
            config.findings.append(
                Finding(
                    "C05",
                    "warning",
                    found.path,
                    f"rope type {name!r:.60} is unknown to vLLM",
                    "config.json",
                    next="check get_rope of the checkout",
                )
            )
    both = [config.text.get(n) for n in ("rope_parameters", "rope_scaling")]
    if all(isinstance(b, dict) for b in both) and _type(both[0]) != _type(both[1]) and not _nested(found):
        config.findings.append(
            Finding(
                "C06",
                "warning",
                "rope_parameters",
                f"rope_parameters says {_type(both[0])!r:.40}, rope_scaling says {_type(both[1])!r:.40}",
                "config.json",
                next="remove the stale one; vLLM reads rope_parameters first",
            )
        )
