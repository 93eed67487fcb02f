"""Fields of config.json that change nothing for a forward pass, and those that some part of an adapter reads.

A number or switch that is in neither list, and that the modelling code (where there is one) reads or that no code
tells of, becomes a TODO.
"""

from __future__ import annotations

from .unknown import Log

INERT = frozenset(
    """architectures auto_map attention_dropout attn_dropout attn_pdrop embd_pdrop resid_pdrop hidden_dropout dropout
    hidden_dropout_prob attention_probs_dropout_prob residual_dropout ffn_dropout embedding_dropout
    bos_token_id eos_token_id pad_token_id sep_token_id unk_token_id decoder_start_token_id initializer_range
    initializer_std init_std initializer_cutoff_factor use_cache torch_dtype dtype transformers_version model_type
    _name_or_path output_attentions output_hidden_states return_dict pretraining_tp gradient_checkpointing
    router_aux_loss_coef output_router_logits aux_loss_alpha seq_aux router_jitter_noise router_z_loss_coef
    vocab_size hidden_size num_hidden_layers num_attention_heads num_key_value_heads head_dim intermediate_size
    max_position_embeddings n_embd n_layer n_head n_inner n_positions d_model num_layers n_layers n_heads
    max_sequence_length seq_length max_seq_len ffn_dim ffn_hidden_size
    is_decoder is_encoder_decoder add_cross_attention tie_word_embeddings tie_encoder_decoder
    chunk_size_feed_forward cross_attention_hidden_size problem_type num_labels id2label label2id
    quantization_config compression_config rope_theta rope_scaling rope_parameters partial_rotary_factor
    rotary_pct rotary_emb_base rotary_emb_fraction rotary_dim rope_interleave attn_implementation
    _attn_implementation use_flash_attention use_flash_attn torchscript pruned_heads use_bfloat16 tf_legacy_loss
    max_window_layers use_sliding_window sliding_window layer_types cache_implementation language_model
    num_nextn_predict_layers num_mtp_modules mtp_num_hidden_layers keys_to_ignore_at_inference
    ep_size unsloth_fixed unsloth_version tokenizer_class prefix finetuning_task task_specific_params
    original_max_position_embeddings bias_vocab_size""".split()
)


def unknown_fields(config, used: set[str], code, log: Log) -> None:
    """Note every field that would change the computation for all that is known."""
    for name, value in config.text.items():
        if name in used or name in INERT or not matters(value):
            continue
        if code is not None and name not in code.reads:
            continue
        question = f"what does {name} = {value!r} of config.json do?"
        log.todo(f"config.{name}", "model", question)


def matters(value: object) -> bool:
    """Return True for numbers and switches that are on, and for lists of such; texts and absent values are names."""
    if isinstance(value, list):
        return any(map(matters, value))
    return value is True or type(value) in (int, float) and value not in (0, 0.0)
