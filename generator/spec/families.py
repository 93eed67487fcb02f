"""What an op's name says of its signature, where nothing else does.

Facts of the field, taken from the ops that dlinfer and lmdeploy have: a name that contains these words has had these
parameters, in this order. The first family whose words are all in the name is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .names import words
from .op import OpSpec, split_params
from .param import Param
from .types import parse_returns


@dataclass(frozen=True)
class Family:
    """Ops that are called alike.

    Attributes:
        name: of the family; also the key of its partials under `templates/shared/op/`.
        words: groups of alternatives; each group must have one of its words in the op's name.
        unless: words that must not be in it: they change the formula.
        params: a parameter list as in `OpSpec.parse`.
        returns: a return annotation.
        shape: names of the parameters whose shapes the results have; empty where `abstract` says it.
        module: stem of the lmdeploy modules that hold the relatives (`backends/norm.py`, `nn/norm.py`).
        owns_weight: True if the `nn` module owns a parameter `weight` of length hidden_size.
        reference: True if `templates/shared/op/reference/<name>.jinja` has the formula in plain torch.
        abstract: lines of the abstract function, where the result's shape is no parameter's; `{x}` is the parameter
            that the op has for the family's `x`.
        summary: what it computes, one sentence.
    """

    name: str
    words: tuple[tuple[str, ...], ...]
    params: str
    summary: str
    returns: str = "Tensor"
    shape: tuple[str, ...] = ()
    module: str = ""
    owns_weight: bool = False
    reference: bool = False
    abstract: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()

    def claims(self, name: str) -> bool:
        """True if an op of that name belongs to the family."""
        have = set(words(name))
        return all(have & set(group) for group in self.words) and not have & set(self.unless)

    def spec(self, name: str) -> OpSpec:
        """The declaration of an op of that name in this family."""
        return OpSpec(name, self._params, parse_returns(self.returns), self.shape)

    def bind(self, params: Sequence[Param]) -> dict[str, str] | None:
        """Find the family's parameters among those of an op, so that its formulas can be written in the op's names.

        Tensors meet by name, else in order; scalars by name or by their default. None if one is missing, or if the op
        has a parameter that the formulas would ignore.
        """
        if not self.params:
            return None
        bound = _by_name([*self._params], params)
        left = [p for p in params if p.name not in bound.values()]
        open_tensors = [p for p in self._params if p.name not in bound and p.type.is_tensor]
        tensors = [p for p in left if p.type.is_tensor]
        if len(open_tensors) != len(tensors) or len(tensors) != len(left):
            return None
        bound |= {mine.name: its.name for mine, its in zip(open_tensors, tensors, strict=True)}
        for mine in self._params:
            if mine.name not in bound and mine.default is None:
                return None
            bound.setdefault(mine.name, mine.default or "")
        return bound

    @property
    def _params(self) -> tuple[Param, ...]:
        return tuple(Param.parse(p) for p in split_params(self.params))


FAMILIES = (
    Family(
        "norm_gated",
        (("rms", "rmsnorm"), ("gated", "gate")),
        "hidden_states: Tensor, gate: Tensor, weight: Tensor, epsilon: float",
        "Apply Root Mean Square (RMS) Normalization to the input and multiply the result by SiLU of the gate.",
        shape=("hidden_states",),
        module="norm",
        owns_weight=True,
        reference=True,
        unless=("add", "gemma"),
    ),
    Family(
        "add_norm_quant",
        (("add",), ("rms", "rmsnorm"), ("w8a8", "quant")),
        "hidden_states: Tensor, residual: Tensor, weight: Tensor, epsilon: float, quant_dtype: torch.dtype",
        "Add the residual, apply RMS normalization and quantize the result per token.",
        returns="Tuple[Tensor, Tensor, Tensor]",
        module="qmodules",
        abstract=(
            "scale = {hidden_states}.new_empty({hidden_states}.shape[:-1], dtype=torch.float)",
            "return {hidden_states}.to({quant_dtype}), scale, {residual}",
        ),
    ),
    Family(
        "norm_quant",
        (("rms", "rmsnorm"), ("w8a8", "quant")),
        "hidden_states: Tensor, weight: Tensor, epsilon: float, quant_dtype: torch.dtype",
        "Apply RMS normalization to the input and quantize the result per token.",
        returns="Tuple[Tensor, Tensor]",
        module="qmodules",
        abstract=(
            "scale = {hidden_states}.new_empty({hidden_states}.shape[:-1], dtype=torch.float)",
            "return {hidden_states}.to({quant_dtype}), scale",
        ),
    ),
    Family(
        "add_norm",
        (("add",), ("rms", "rmsnorm")),
        "hidden_states: Tensor, residual: Tensor, weight: Tensor, epsilon: float",
        "Add the residual connection and apply Root Mean Square (RMS) Normalization to the sum.",
        returns="Tuple[Tensor, Tensor]",
        shape=("hidden_states", "residual"),
        module="norm",
        owns_weight=True,
        reference=True,
        unless=("gemma", "gated"),
    ),
    Family(
        "layer_norm",
        (("layer", "layernorm"), ("norm", "layernorm")),
        "hidden_states: Tensor, weight: Tensor, bias: Optional[Tensor], epsilon: float",
        "Apply layer normalization to the input.",
        shape=("hidden_states",),
        module="norm",
        reference=True,
        unless=("gated", "gate", "add"),
    ),
    Family(
        "norm",
        (("rms", "rmsnorm"),),
        "hidden_states: Tensor, weight: Tensor, epsilon: float",
        "Apply Root Mean Square (RMS) Normalization to the input.",
        shape=("hidden_states",),
        module="norm",
        owns_weight=True,
        reference=True,
        unless=("gemma",),
    ),
    Family(
        "other_norm",
        (("norm", "rms", "rmsnorm", "layernorm", "l2norm"),),
        "hidden_states: Tensor, weight: Tensor, epsilon: float",
        "Normalize the input.",
        shape=("hidden_states",),
        module="norm",
        owns_weight=True,
    ),
    Family(
        "act_and_mul",
        (("silu", "gelu", "swiglu", "geglu", "relu", "swish"), ("mul", "swiglu", "geglu")),
        "input_tensor: Tensor, dim: int = -1",
        "Apply the activation to the first half of the input along dim and multiply it by the second half.",
        module="activation",
        reference=True,
        abstract=("first, _ = {input_tensor}.chunk(2, {dim})", "return first"),
    ),
    Family(
        "activation",
        (("silu", "gelu", "relu", "swish", "sigmoid", "tanh", "activation"),),
        "input_tensor: Tensor",
        "Apply the activation to each element of the input.",
        shape=("input_tensor",),
        module="activation",
        reference=True,
    ),
    Family(
        "rotary",
        (("rotary", "rope", "mrope"),),
        "query: Tensor, key: Tensor, cos: Optional[Tensor], sin: Optional[Tensor]",
        "Apply rotary position embeddings to the query and key tensors.",
        returns="Tuple[Tensor, Tensor]",
        shape=("query", "key"),
        module="apply_rotary_emb",
    ),
    Family(
        "fill_cache",
        (("fill", "reshape", "write", "store"), ("cache", "kvcache")),
        "key: Tensor, value: Tensor, key_cache: Tensor, value_cache: Tensor, kv_indices: Tensor",
        "Fill the key-value cache with the key and value tensors at the given slots.",
        returns="Tuple[Tensor, Tensor]",
        shape=("key_cache", "value_cache"),
    ),
    Family(
        "decode_attention",
        (("attention", "attn"), ("decode", "paged")),
        "query: Tensor, key_cache: Tensor, value_cache: Tensor, block_table: Tensor, block_size: int, "
        "kv_seq_len: Tensor, "
        "max_kv_seq_len: int, num_q_heads: int, num_kv_heads: int, softmax_scale: Optional[float] = None",
        "Compute attention of the query over the paged key-value cache.",
        shape=("query",),
        module="attention",
    ),
    Family(
        "attention",
        (("attention", "attn", "mla", "mha"),),
        "query: Tensor, key: Tensor, value: Tensor, q_start_loc: Tensor, q_seq_len: Tensor, max_q_seq_len: int, "
        "num_q_heads: int, num_kv_heads: int, softmax_scale: Optional[float] = None",
        "Compute attention over the query, key and value tensors.",
        shape=("query",),
        module="attention",
    ),
    Family(
        "gating",
        (("topk", "gating", "router", "route"),),
        "router_logits: Tensor, topk: int",
        "Select the experts of each token.",
        returns="Tuple[Tensor, Tensor]",
        module="moe",
        abstract=(
            "weights = {router_logits}.new_empty((*{router_logits}.shape[:-1], {topk}))",
            "return weights, weights.to(torch.int32)",
        ),
    ),
    Family(
        "fused_moe",
        (("moe", "experts"),),
        "hidden_states: Tensor, topk_weights: Tensor, topk_ids: Tensor, gate_up_weights: Tensor, down_weights: Tensor, "
        "topk: int, renormalize: bool",
        "Run the selected experts of each token and sum their weighted results.",
        shape=("hidden_states",),
        module="moe",
    ),
    Family(
        "causal_conv1d",
        (("conv1d", "conv"),),
        "x: Tensor, weight: Tensor, bias: Optional[Tensor], conv_state: Tensor, cu_seqlens: Tensor, state_ids: Tensor",
        "Apply a causal depthwise convolution along the sequence, with a state kept for each sequence.",
        shape=("x",),
        module="causal_conv1d",
    ),
    Family(
        "gated_delta",
        (("delta", "gdn"),),
        "query: Tensor, key: Tensor, value: Tensor, g: Tensor, beta: Tensor, state: Tensor, cu_seqlens: Tensor",
        "Run the gated delta rule over each sequence, updating its recurrent state.",
        shape=("value",),
        module="gated_delta_rule",
    ),
    Family(
        "dynamic_quant",
        (("quant", "quantize"), ("dynamic", "per", "token")),
        "x: Tensor, quant_dtype: torch.dtype",
        "Quantize the input per token.",
        returns="Tuple[Tensor, Tensor]",
        module="qmodules",
        abstract=("return {x}.to({quant_dtype}), {x}.new_empty({x}.shape[:-1], dtype=torch.float)",),
    ),
    Family(
        "linear",
        (("linear", "matmul", "gemm", "mm"),),
        "x: Tensor, weight: Tensor, bias: Optional[Tensor] = None",
        "Compute x @ weight.T + bias.",
        module="linear",
        reference=True,
        abstract=("return {x}.new_empty((*{x}.shape[:-1], {weight}.shape[0]))",),
    ),
    Family(
        "softmax",
        (("softmax",),),
        "x: Tensor, dim: int = -1",
        "Apply softmax along dim.",
        shape=("x",),
        reference=True,
    ),
    Family(
        "embedding",
        (("embedding", "embed"),),
        "ids: Tensor, weight: Tensor",
        "Look up the rows of weight.",
        module="embedding",
        reference=True,
        abstract=("return {weight}.new_empty((*{ids}.shape, {weight}.shape[-1]))",),
    ),
)

_SYNONYMS = (("epsilon", "eps"), ("topk", "top_k"), ("hidden_states", "x", "input"))


def _by_name(mine: Sequence[Param], its: Sequence[Param]) -> dict[str, str]:
    """Family parameter to op parameter, where both have the same name or names that mean the same."""
    names = {p.name for p in its}
    bound = {p.name: p.name for p in mine if p.name in names}
    for group in _SYNONYMS:
        here = [p.name for p in mine if p.name in group and p.name not in bound]
        there = [n for n in group if n in names and n not in bound.values()]
        if len(here) == len(there) == 1:
            bound[here[0]] = there[0]
    return bound


# What a name that no family claims gets: one tensor in, one like it out. It is announced as a placeholder.
UNKNOWN = Family("unknown", (), "hidden_states: Tensor", "No description yet.", shape=("hidden_states",))


def family_of(name: str) -> Family:
    """Return the family that an op's name belongs to, or `UNKNOWN`."""
    return next((family for family in FAMILIES if family.claims(name)), UNKNOWN)
