"""Mixture of experts."""

from __future__ import annotations

from dataclasses import dataclass, field

from .fields import Config, Field, count

EXPERTS = ("num_experts", "moe_num_experts", "n_routed_experts", "num_local_experts")
TOP_K = ("num_experts_per_tok", "moe_topk", "moe_top_k", "moe_k", "top_k_experts", "num_experts_per_token")
SHARED = (
    "n_shared_experts",
    "num_shared_experts",
    "moe_num_shared_experts",
    "shared_expert_intermediate_size",
    "shared_intermediate_size",
)
DENSE = (
    "first_k_dense_replace",
    "mlp_only_layers",
    "decoder_sparse_step",
    "moe_layer_freq",
    "moe_layers_enum",
    "num_dense_layers",
    "moe_layer_start_index",
    "interleave_moe_layer_step",
)
ROUTER = (
    "scoring_func",
    "score_function",
    "topk_method",
    "moe_router_enable_expert_bias",
    "n_group",
    "topk_group",
    "routed_scaling_factor",
    "norm_topk_prob",
)


@dataclass
class Moe:
    """Attributes:
    experts, top_k: 0 if nothing says it. shared: the field for shared experts, or None.
    """

    experts: int
    top_k: int
    shared: str | None
    dense_layers: str | None
    router: list[str]
    says: list[str] = field(default_factory=list)

    def as_json(self) -> dict:
        """Return the documented object."""
        return {
            "experts": self.experts,
            "top_k": self.top_k,
            "shared": self.shared,
            "dense_layers": self.dense_layers,
            "router": self.router,
            "says": self.says,
        }


def read_moe(config: Config) -> Moe | None:
    """Return the experts of the language model, or None for a dense one."""
    experts = _experts(config)
    if experts is None or experts.value <= 1:
        return None
    top_k, shared, dense = config.integer(*TOP_K), config.text_get(*SHARED), config.text_get(*DENSE)
    says = [f.says() for f in (experts, top_k, shared, dense) if f]
    return Moe(
        experts.value,
        top_k.value if top_k else 0,
        shared.says() if shared and shared.value else None,
        dense.says() if dense else None,
        [f.says() for f in map(config.text_get, ROUTER) if f],
        says,
    )


def _experts(config: Config) -> Field | None:
    for name in EXPERTS:
        found = config.integer(name)
        if found and found.value:
            return found
    nested = config.text.get("ffn_config")
    if isinstance(nested, dict) and count(nested.get("moe_num_experts")):
        return Field(f"{config.text_path}ffn_config.moe_num_experts", count(nested["moe_num_experts"]))
    blocks = config.text.get("block_configs")
    numbers = [b.get("n_routed_experts") for b in blocks if isinstance(b, dict)] if isinstance(blocks, list) else []
    numbers = [n for n in numbers if type(n) is int]
    return Field(f"{config.text_path}block_configs[].n_routed_experts", max(numbers)) if numbers else None


def expert_named_fields(config: Config) -> list[str]:
    """Return the fields whose name holds `expert`: vllm-ascend's `is_moe_model` asks nothing more."""
    return [config.text_path + name for name in config.text if "expert" in name]
