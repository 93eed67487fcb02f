"""What a docstring of layer 3 says of a parameter: what it is, its shape and its dtype, as far as that is known."""

from __future__ import annotations

from generator.spec.families import Family
from generator.spec.op import OpSpec
from generator.spec.param import Param

# Shapes and dtypes as the ops of dlinfer use them.
_KNOWN = {
    "hidden_states": "The input tensor, shape (..., hidden_size), floating point.",
    "residual": "The residual tensor, shape and dtype of {first}.",
    "gate": "The gate, shape and dtype of {first}.",
    "bias": "The bias tensor, or None.",
    "epsilon": "A small constant added to the mean square to prevent division by zero.",
    "eps": "A small constant added to the denominator to prevent division by zero.",
    "quant_dtype": "The dtype of the quantized result, such as torch.int8.",
    "input_tensor": "The input tensor, floating point.",
    "dim": "The dimension that the op works along.",
    "query": "The query tensor, shape (total_seq_len, num_heads, head_dim), floating point.",
    "key": "The key tensor, shape (total_seq_len, num_kv_heads, head_dim), dtype of query.",
    "value": "The value tensor, shape (total_seq_len, num_kv_heads, head_dim), dtype of query.",
    "cos": "The cosine component, shape (total_seq_len, head_dim).",
    "sin": "The sine component, shape (total_seq_len, head_dim).",
    "key_cache": "The paged key cache; its block layout is the vendor's.",
    "value_cache": "The paged value cache; its block layout is the vendor's.",
    "kv_indices": "The slot of each token in the cache, integer.",
    "block_table": "The blocks of each sequence, shape (batch, max_blocks), int32.",
    "block_size": "The number of tokens in a block.",
    "q_start_loc": "The start of each query sequence, integer.",
    "q_seq_len": "The length of each query sequence, shape (batch,), integer.",
    "kv_seq_len": "The length of each key/value sequence, shape (batch,), integer.",
    "max_q_seq_len": "The maximum length of any query sequence.",
    "max_kv_seq_len": "The maximum length of any key/value sequence.",
    "num_q_heads": "The number of query heads.",
    "num_kv_heads": "The number of key/value heads.",
    "softmax_scale": "The scale of the logits before the softmax; 1/sqrt(head_dim) if None.",
    "router_logits": "The router's logits, shape (num_tokens, num_experts), floating point.",
    "topk": "The number of experts of a token.",
    "topk_weights": "The weights of the selected experts, shape (num_tokens, topk).",
    "topk_ids": "The selected experts, shape (num_tokens, topk), integer.",
    "renormalize": "Whether the weights of a token are divided by their sum.",
    "cu_seqlens": "The cumulative sequence lengths, shape (batch + 1,), integer.",
    "state_ids": "The state slot of each sequence, shape (batch,), integer.",
    "moe_metadata": "Configuration and context of the MoE layer.",
}


def param_doc(param: Param, spec: OpSpec, family: Family) -> str:
    """One sentence; says so where shape and dtype are not known."""
    if param.name == "weight" and family.owns_weight:
        return "The weight tensor, shape (hidden_size,), floating point."
    if param.name in _KNOWN:
        return _KNOWN[param.name].format(first=spec.tensors[0].name if spec.tensors else "the input")
    if param.type.is_tensor:
        return f"The {param.name} tensor; shape and dtype not stated."
    return f"The {param.name} of the op."


def returns_doc(spec: OpSpec) -> list[str]:
    """The lines of the Returns section, from the shape sources where they are given."""
    if not spec.returns:
        return ["None"]
    texts = [f"Shape and dtype of {name}." for name in spec.shape_from] or ["The result."] * len(spec.returns)
    if len(spec.returns) == 1:
        return [f"{spec.returns_text}: {texts[0]}"]
    return [f"{spec.returns_text}:", *(f"    - {t}" for t in texts)]
