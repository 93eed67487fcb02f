"""ModelSlim's `quant_model_description.json` against the keys.

Format: `<key>.weight` → `FLOAT`, `W8A8`, `W8A8_DYNAMIC` …; other entries describe the whole model.
"""

from __future__ import annotations

from ..finding import Finding
from .complete import FUSED

FILE = "quant_model_description.json"
SHOWN = 5


def findings(description: dict | None, keys: dict[str, str]) -> list[Finding]:
    """Return what the description and the keys do not agree on, and fused parts of different types (rule V06)."""
    if description is None:
        return []
    types = {k: t for k, t in description.items() if isinstance(t, str) and k.endswith(".weight")}
    found = []
    unknown = [k for k in types if keys and k not in keys and k.removesuffix(".weight") not in keys]
    if unknown:
        found.append(
            Finding(
                "V06",
                "warning",
                unknown[0],
                f"{len(unknown)} described weights are no key of the index",
                FILE,
                next="add a prefix mapping, or quantise again",
            )
        )
    scaleless = [k for k, t in types.items() if _needs_scale(t) and k in keys and not _scaled(k, keys)]
    if scaleless:
        found.append(
            Finding(
                "V06",
                "error",
                scaleless[0],
                f"{len(scaleless)} weights are described as quantised and have no scale among the keys",
                FILE,
                next="quantise again",
            )
        )
    return found + _mixed(types)


def _needs_scale(kind: str) -> bool:
    return kind.startswith("W") and kind != "W16A16"


def _scaled(key: str, keys: dict[str, str]) -> bool:
    base = key.removesuffix("weight")
    return any(base + name in keys for name in ("weight_scale", "deq_scale", "scale", "weight_scale_inv"))


def _mixed(types: dict[str, str]) -> list[Finding]:
    found = []
    for key, kind in types.items():
        module, _, _ = key.rpartition(".")
        base, _, name = module.rpartition(".")
        parts = next((parts for parts in FUSED if parts[0] == name), ())
        others = {part: types.get(f"{base}.{part}.weight") for part in parts[1:]}
        differ = {part: other for part, other in others.items() if other is not None and other != kind}
        if differ and len(found) < SHOWN:
            part, other = next(iter(differ.items()))
            message = f"{name} is {kind}, {part} is {other}: they are one fused weight"
            found.append(Finding("V06", "error", module, message, FILE, next="quantise them alike"))
    return found
