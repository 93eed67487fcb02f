"""Fields and keys that contradict each other, by name."""

from __future__ import annotations

from ..finding import Finding
from ..keys.groups import Groups
from .fields import Config, Field, short
from .moe import Moe, expert_named_fields
from .mtp import Mtp

SHARED = (
    "num_hidden_layers",
    "hidden_size",
    "num_attention_heads",
    "num_key_value_heads",
    "vocab_size",
    "head_dim",
    "intermediate_size",
    "dtype",
    "torch_dtype",
    "sliding_window",
    "rope_theta",
)


def disagreements(config: Config, moe: Moe | None, mtp: Mtp | None, groups: Groups) -> list[Finding]:
    """Return one finding for each contradiction."""
    found = [_differs(name, config) for name in SHARED if config.text is not config.root]
    found += [
        _layer_types(config),
        _depth(config, mtp, groups),
        _experts(moe, groups),
        _named_like_experts(config, moe),
    ]
    found += [_dtype(config), _shared_index(groups)]
    return [finding for finding in found if finding]


def _conflict(subject: str, message: str, next: str, severity: str = "warning") -> Finding:
    return Finding("C06", severity, subject, message, "config.json", next=next)


def _differs(name: str, config: Config) -> Finding | None:
    inner, outer = config.text.get(name), config.root.get(name)
    if inner is None or outer is None or inner == outer:
        return None
    return _conflict(
        name,
        f"the root says {short(outer)}, {config.text_path}{name} says {short(inner)}",
        f"vLLM reads {config.text_path}{name}; make them agree",
    )


def _dtype(config: Config) -> Finding | None:
    old, new = config.text.get("torch_dtype"), config.text.get("dtype")
    if old is None or new is None or old == new:
        return None
    return _conflict("dtype", f"dtype = {short(new)}, torch_dtype = {short(old)}", "keep one of them")


def _layer_types(config: Config) -> Finding | None:
    types, depth = config.items("layer_types"), config.integer("num_hidden_layers")
    if not types or not depth or len(types) == depth.value:
        return None
    return _conflict("layer_types", f"names {len(types)} layers, {depth.says()}", "give one type for each layer")


def _depth(config: Config, mtp: Mtp | None, groups: Groups) -> Finding | None:
    depth = config.integer("num_hidden_layers", "n_layer", "num_layers")
    there = {
        layer for group in groups.groups if group.main_stack and "mtp" not in group.words for layer in group.layers
    }
    if not depth or not there or mtp and max(there) >= depth.value:
        return None
    if max(there) + 1 < depth.value:
        return _conflict(
            depth.path,
            f"{depth.says()}, but the keys end with layer {max(there)}",
            "fetch the missing shards, or correct the field",
            "error",
        )
    return None


def _experts(moe: Moe | None, groups: Groups) -> Finding | None:
    counted = [
        max(g.layers.values()) for g in groups.groups if ".experts.*." in g.pattern and g.layers and g.main_stack
    ]
    if not counted:
        return None
    if moe is None:
        return _conflict(
            "experts",
            f"the keys hold {max(counted)} experts a layer, no field says so",
            "add the number of experts to config.json",
            "error",
        )
    if max(counted) != moe.experts:
        return _conflict(
            "experts", f"{moe.says[0]}, but the keys hold {max(counted)} a layer", "correct the field", "error"
        )
    return None


def _named_like_experts(config: Config, moe: Moe | None) -> Finding | None:
    names = expert_named_fields(config)
    if moe or not names:
        return None
    first = Field(names[0], config.text.get(names[0].removeprefix(config.text_path)))
    return _conflict(
        first.path,
        f"{first.says()}: a dense model for vLLM, but vllm-ascend's is_moe_model asks only whether a field is named so",
        "remove the field if the model has no experts",
        "note",
    )


def _shared_index(groups: Groups) -> Finding | None:
    if "mtp" not in groups.prefixes():
        return None
    draft = {n for g in groups.groups if g.pattern.startswith("mtp.layers.*") for n in g.layers}
    main = {n for g in groups.groups if g.main_stack and not g.pattern.startswith("mtp.") for n in g.layers}
    both = sorted(draft & main)
    if not both:
        return None
    return _conflict(
        "mtp.layers",
        f"layer {both[0]} is named in the main stack and in mtp.: a cache that is bound by number binds the wrong one",
        "number the draft layers after the main ones in the adapter",
        "note",
    )
