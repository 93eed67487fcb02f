"""The names that weights have in checkpoints, and what each is to the loader.

Collected from the module names of vLLM's model files; a name outside of this list has to be explained by the model
class that will load it.
"""

from __future__ import annotations

MODULES = {
    "embedding": (
        "embed_tokens embed_in wte word_embeddings tok_embeddings embeddings embed wpe position_embeddings "
        "token_type_embeddings embed_positions embed_tokens_per_layer embed_dim tokens_embed"
    ),
    "output head": "lm_head embed_out output_layer head score classifier v_head",
    "attention projection": (
        "q_proj k_proj v_proj o_proj qkv_proj out_proj query key value dense c_attn c_proj Wqkv wqkv W_pack wq wk "
        "wv wo query_key_value q_a_proj q_b_proj kv_a_proj_with_mqa kv_b_proj kv_a_proj q_lora_a_proj "
        "fused_qkv_a_proj indexer wq_a wq_b wkv wkv_gate wo_a wo_b wk_b weights_proj g_proj attn_gate gate_attn "
        "compressor rotary_emb qkv to_q to_k to_v kv_proj k_b_proj v_b_proj wkv_a wkv_b linear_proj rotary_pos_emb"
    ),
    "attention sink": "sinks attn_sink attention_sink",
    "norm": (
        "input_layernorm post_attention_layernorm pre_feedforward_layernorm post_feedforward_layernorm norm ln_f "
        "ln_1 ln_2 final_layernorm final_norm norm_f layernorm layer_norm LayerNorm q_norm k_norm q_layernorm "
        "k_layernorm query_layernorm key_layernorm q_a_layernorm kv_a_layernorm attention_norm ffn_norm attn_norm "
        "input_norm post_self_attn_layernorm post_mlp_layernorm pre_mlp_layernorm self_attention_layer_norm "
        "q_a_norm kv_a_norm kv_norm norm1 norm2 self_attn_layer_norm final_layer_norm ln_attn ln_mlp post_layernorm "
        "pre_attention_layernorm k_bias ln1 ln2 post_norm pre_norm norm_attn norm_ffn query_norm key_norm sub_norm "
        "v_norm operator_norm embedding_norm post_attention_norm post_ffn_norm post_moe_norm q_head_norm "
        "word_embeddings_layernorm emb_ln layer_scalar"
    ),
    "feed-forward projection": (
        "gate_proj up_proj down_proj gate_up_proj w1 w2 w3 fc1 fc2 fc_in fc_out c_fc dense_h_to_4h dense_4h_to_h "
        "dense_1 dense_2 linear_fc1 linear_fc2 wi wi_0 wi_1 Wi Wo fc up down linear_1 linear_2 mlp w13 input_linear "
        "output_linear shared_mlp w2_weight w13_weight linear_in linear_out"
    ),
    "experts": (
        "gate_up_proj_bias down_proj_bias gate_up_proj_blocks gate_up_proj_scales down_proj_blocks down_proj_scales "
        "experts v1"
    ),
    "router": (
        "gate router wg shared_expert_gate e_score_correction_bias expert_bias router_bias layer expert_correction "
        "tid2eid gate_weight proj per_expert_scale"
    ),
    "state-space mixer": (
        "in_proj conv1d x_proj dt_proj A_log D dt_bias in_proj_qkvz in_proj_ba in_proj_qkv in_proj_z in_proj_a "
        "in_proj_b dt_layernorm b_layernorm c_layernorm bcdt_proj mixer conv f_a_proj f_b_proj g_a_proj g_b_proj "
        "b_proj q_conv1d k_conv1d v_conv1d A slope output_gate dt_norm B_norm C_norm a_proj conv_weights conv_bias "
        "g_norm o_norm f_proj"
    ),
    "multi-token prediction": (
        "eh_proj enorm hnorm shared_head mtp_block pre_fc_norm_embedding pre_fc_norm_hidden input_proj "
        "hidden_layernorm token_layernorm e_proj h_proj mtp_norm hc_head"
    ),
    "hyper-connection": (
        "hc_attn_fn hc_attn_base hc_attn_scale hc_ffn_fn hc_ffn_base hc_ffn_scale hc_head_fn hc_head_base "
        "hc_head_scale ape"
    ),
    "modality projector": (
        "multi_modal_projector mm_projector projector connector aligner visual_projection embed_vision embed_audio "
        "merger patch_merger"
    ),
}
ROLE = {name: role for role, names in MODULES.items() for name in names.split()}
COMPUTED = {"inv_freq", "masked_bias", "position_ids", "num_batches_tracked", "rotary_emb", "cos_cached", "sin_cached"}
ALONE = {
    "A_log",
    "D",
    "dt_bias",
    "e_score_correction_bias",
    "sinks",
    "tid2eid",
    "expert_bias",
    "k_bias",
    "slope",
    "layer_scalar",
}
PARAMETERS = {
    "weight",
    "bias",
    "weight_packed",
    "weight_shape",
    "weight_g_idx",
    "qweight",
    "qzeros",
    "scales",
    "g_idx",
    "blocks",
    "weight_blocks",
    "weight_scales",
    "gamma",
    "beta",
}
CACHE_SCALES = {
    "k_scale",
    "v_scale",
    "q_scale",
    "kv_scale",
    "k_zero_point",
    "v_zero_point",
    "q_zero_point",
    "prob_scale",
    "kv_cache_scale",
    "kv_cache_offset",
}
ADAPTER = ("base_model.model.", "base_model.")
WRAPPERS = ("module.", "_orig_mod.", "_fsdp_wrapped_module.", "transformer_engine.")
