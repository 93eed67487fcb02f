"""Which key fills which slot: the stack of layers, what lies around it, and what nothing knows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from ..analysis.analysis import Analysis
from ..keys.groups import TOWERS, Group
from ..keys.scales import PARTNERS
from . import slots as s

PROJECTORS = {"multi_modal_projector", "mm_projector", "projector", "connector", "aligner"}
LEAVES = {"weight", "bias", "gamma", "beta"}


@dataclass(frozen=True)
class Weight:
    """One pattern of keys that has a slot.

    Attributes:
        group: the keys.
        module: pattern of the module, layers and experts as `*`.
        leaf: `weight`, `bias`, a scale, or "" for a bare parameter.
        slot: `attn.q`, `mlp.gate`, `moe.experts.up`, `norm.attn_pre`, `embed`, `final`, `head` ….
    """

    group: Group
    module: str
    leaf: str
    slot: str


@dataclass
class Layout:
    """Attributes:
    stack: pattern before the layer number, such as `model.layers`.
    depth: number of layers of the main model.
    weights: slot → its weights. computed, draft, unknown, tower, projector: groups that are none.
    """

    stack: str
    depth: int
    weights: dict[str, list[Weight]] = field(default_factory=dict)
    computed: list[Group] = field(default_factory=list)
    draft: list[Group] = field(default_factory=list)
    unknown: list[Group] = field(default_factory=list)
    tower: list[Group] = field(default_factory=list)
    projector: list[Group] = field(default_factory=list)

    def has(self, slot: str, leaf: str | None = None) -> bool:
        """Return True if a key fills the slot (with this leaf)."""
        return any(leaf is None or w.leaf == leaf for w in self.weights.get(slot, ()))

    def first(self, slot: str, leaf: str = "weight") -> Weight | None:
        """Return a weight of the slot, or None."""
        return next((w for w in self.weights.get(slot, ()) if w.leaf == leaf), None)

    def layers_of(self, prefix: str) -> set[int]:
        """Return the layers that have a slot starting with `prefix`."""
        found = [w.group.layers for slot, ws in self.weights.items() if slot.startswith(prefix) for w in ws]
        return {layer for layers in found for layer in layers if layer < self.depth}


def read_layout(analysis: Analysis) -> Layout:
    """Return the layout of the language model's keys."""
    depth = analysis.config.integer("num_hidden_layers", "n_layer", "n_layers", "num_layers")
    layout = Layout(_stack(analysis), depth.value if depth else 0)
    blocks = _Blocks(analysis, layout.stack)
    for group in analysis.groups.groups:
        _place(group, layout, blocks)
    return layout


def _stack(analysis: Analysis) -> str:
    counts: Counter[str] = Counter()
    for group in analysis.groups.groups:
        if group.main_stack:
            counts[group.pattern.split(".*", 1)[0]] += group.count
    draft = [name for name in counts if name.startswith("mtp.")]
    for name in draft:
        del counts[name]
    return counts.most_common(1)[0][0] if counts else ""


@dataclass
class _Blocks:
    """The containers of attention and feed-forward in a layer, told by what lies in them."""

    analysis: Analysis
    stack: str

    def __post_init__(self):
        paths = [self.inside(g) for g in self.analysis.groups.groups]
        split = [(".".join(p[:-1]), p[-1]) for p in (module_of(path)[0] for path in paths if path) if p]
        by_name: dict[str, set[str]] = {}
        for container, name in split:
            by_name.setdefault(container, set()).add(name)
        attention = {slot for slot in ("q", "qkv", "kv_a")}
        self.attention = {
            c for c, names in by_name.items() if any(s.slot_in(s.ATTENTION, n) in attention for n in names)
        }

    def inside(self, group: Group) -> list[str] | None:
        """Return the words of a pattern behind its layer number, None for another stack."""
        head = f"{self.stack}.*."
        return group.pattern[len(head) :].split(".") if self.stack and group.pattern.startswith(head) else None


def module_of(words: list[str]) -> tuple[list[str], str]:
    """Return (words of the module, leaf) of a pattern's words."""
    leaf = words[-1] in LEAVES or words[-1] in PARTNERS and len(words) > 1
    return (words[:-1], words[-1]) if leaf else (words, "")


def _place(group: Group, layout: Layout, blocks: _Blocks) -> None:
    words = group.pattern.split(".")
    if any(word in s.COMPUTED for word in words):
        layout.computed.append(group)
        return
    inside = blocks.inside(group)
    if inside is None and not TOWERS.isdisjoint(words[:-1]):
        layout.tower.append(group)
        return
    if inside is None and not PROJECTORS.isdisjoint(words[:-1]):
        layout.projector.append(group)
        return
    if words[0] == "mtp" or inside is not None and group.layers and min(group.layers) >= layout.depth > 0:
        layout.draft.append(group)
        return
    module, leaf = module_of(words)
    if inside is None:
        slot = _outside(module)
    else:
        slot = _inside(module_of(inside)[0], blocks)
    if slot is None:
        layout.unknown.append(group)
        return
    layout.weights.setdefault(slot, []).append(Weight(group, ".".join(module), leaf, slot))


def _outside(module: list[str]) -> str | None:
    if "*" in module:
        return None
    name = module[-1]
    if name in s.EMBEDDING:
        return "embed"
    if name in s.HEAD:
        return "head"
    return "final" if name in s.FINAL else None


def _inside(module: list[str], blocks: _Blocks) -> str | None:
    container, name = ".".join(module[:-1]), module[-1]
    if s.EXPERTS in module:
        return _expert(module)
    if any(word in s.SHARED for word in module[:-1]):
        slot = s.slot_in(s.MLP, name)
        return f"moe.shared.{slot}" if slot else None
    if container in blocks.attention:
        slot = s.slot_in(s.ATTENTION, name)
        return f"attn.{slot}" if slot else None
    if len(module) == 1 and (norm := s.slot_in(s.NORMS, name)):
        return f"norm.{norm}"
    router = s.slot_in(s.ROUTER, name)
    if router and len(module) > 1:
        return f"moe.{router}"
    slot = s.slot_in(s.MLP, name)
    return f"mlp.{slot}" if slot else None


def _expert(module: list[str]) -> str | None:
    after = module[module.index(s.EXPERTS) + 1 :]
    if after[:1] == ["*"] and len(after) == 2:
        slot = s.slot_in(s.MLP, after[1])
        return f"moe.expert.{slot}" if slot in ("gate", "up", "down") else None
    if len(after) == 1 and after[0] in ("gate_up_proj", "down_proj"):
        return f"moe.stacked.{s.slot_in(s.MLP, after[0])}"
    return None
