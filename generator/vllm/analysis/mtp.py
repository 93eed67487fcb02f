"""Multi-token prediction: what the configuration says and what the keys hold."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..keys.groups import Groups
from .fields import Config

LAYERS = ("num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_layers", "num_mtp_modules")
NAMES = {"nextn", "eh_proj", "enorm", "hnorm", "mtp", "mtp_block", "mtp_layers", "model_mtp"}


@dataclass
class Mtp:
    """Attributes:
    layers: how many the configuration says.
    keys: how many keys belong to it.
    status: `supported` (both), `checkpoint-missing` (configuration only), `config-missing` (keys only).
    """

    layers: int
    keys: int
    status: str
    first: str | None = None
    says: list[str] = field(default_factory=list)

    def as_json(self) -> dict:
        """Return the documented object."""
        return {
            "status": self.status,
            "layers": self.layers,
            "keys": self.keys,
            "first_key": self.first,
            "says": self.says,
        }


def read_mtp(config: Config, groups: Groups) -> Mtp | None:
    """Return the prediction layers; None if neither the configuration nor any key has them.

    Without any key at all nothing can be missing: the configuration alone then gives `unknown`.
    """
    found, depth = config.integer(*LAYERS), config.integer("num_hidden_layers", "n_layer", "num_layers")
    layers = max(found.value, 0) if found else 0
    count, first, over = _keys(groups, depth.value if depth and depth.value > 0 else 0)
    if not layers and not count:
        return None
    says = ([found.says()] if found else []) + ([f"key {first}"] if first else [])
    says += [depth.says()] if over else []
    if not groups.total:
        status = "unknown"
    else:
        status = "checkpoint-missing" if not count else "supported" if layers else "config-missing"
    return Mtp(layers, count, status, first, says)


def _keys(groups: Groups, depth: int) -> tuple[int, str | None, bool]:
    total, first, over = 0, None, False
    for group in groups.groups:
        named = not NAMES.isdisjoint(group.words)
        beyond = group.deeper_than(depth) if depth and group.main_stack else 0
        if named or beyond:
            total += group.count if named else beyond
            first = first or (group.first if named else group.pattern.replace("*", str(depth), 1))
            over = over or bool(beyond)
    return total, first, over
