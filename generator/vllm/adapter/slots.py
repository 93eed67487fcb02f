"""What each weight of a decoder layer is for: names in checkpoints → the slot of the adapter's own layout.

The names are those of the model files that vLLM has; a name outside of these tables becomes a TODO, never a guess.
"""

from __future__ import annotations

ATTENTION = {
    "q": "q_proj wq query to_q q_lin",
    "k": "k_proj wk key to_k k_lin",
    "v": "v_proj wv value to_v v_lin",
    "qkv": "qkv_proj query_key_value Wqkv wqkv W_pack c_attn qkv qkv_lin",
    "o": "o_proj wo out_proj dense c_proj to_out out_lin",
    "q_norm": "q_norm q_layernorm query_layernorm query_norm",
    "k_norm": "k_norm k_layernorm key_layernorm key_norm",
    "sinks": "sinks attn_sink attention_sink",
    "q_a": "q_a_proj wq_a",
    "q_a_norm": "q_a_layernorm q_a_norm",
    "q_b": "q_b_proj wq_b",
    "kv_a": "kv_a_proj_with_mqa wkv_a",
    "kv_a_norm": "kv_a_layernorm kv_a_norm kv_norm",
    "kv_b": "kv_b_proj wkv_b",
}
MLP = {
    "gate": "gate_proj w1 linear_gate",
    "up": "up_proj w3 linear_up",
    "down": "down_proj w2 linear_down c_proj dense_4h_to_h fc2 fc_out linear_out",
    "gate_up": "gate_up_proj w13 gate_and_up_proj",
    "fc": "fc1 c_fc dense_h_to_4h fc_in linear_in",
}
ROUTER = {
    "router": "gate router wg",
    "router_bias": "e_score_correction_bias expert_bias router_bias",
    "shared_gate": "shared_expert_gate",
}
SHARED = ("shared_experts", "shared_expert", "shared_mlp")
EXPERTS = "experts"
# A norm by its name: what stands for `input_layernorm` and so on in the files of vLLM and transformers.
NORMS = {
    "attn_pre": "input_layernorm attention_norm ln_1 norm1 attn_norm input_norm pre_attention_layernorm norm_1",
    "attn_post": "post_self_attn_layernorm post_attn_norm",
    "mlp_pre": "pre_feedforward_layernorm pre_mlp_layernorm ffn_norm ln_2 norm2 pre_ffn_layernorm norm_2",
    "mlp_post": "post_feedforward_layernorm post_mlp_layernorm post_ffn_norm post_feedforward_norm",
    # Before the MLP in most files, behind the attention where another norm stands before the MLP.
    "between": "post_attention_layernorm post_attention_norm",
}
EMBEDDING = ("embed_tokens", "wte", "word_embeddings", "tok_embeddings", "embed_in", "embedding", "tokens_embed")
FINAL = ("norm", "ln_f", "final_layernorm", "final_norm", "norm_f", "final_layer_norm")
HEAD = ("lm_head", "output", "embed_out", "output_layer", "head")
COMPUTED = ("inv_freq", "masked_bias", "cos_cached", "sin_cached", "position_ids")


def slot_in(table: dict[str, str], name: str) -> str | None:
    """Return the slot of a table that `name` is a name of, or None."""
    return next((slot for slot, names in table.items() if name in names.split()), None)
