"""Tiny random checkpoints of families that vLLM knows, made by transformers itself: `python families.py FOLDER`."""

import os
import sys

import torch
import transformers as t

COMMON = {
    "vocab_size": 384,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 32,
    "max_position_embeddings": 256,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "pad_token_id": 0,
    "initializer_range": 0.2,
    "tie_word_embeddings": False,
}
LATENT = {
    "kv_lora_rank": 32,
    "q_lora_rank": 48,
    "qk_nope_head_dim": 32,
    "qk_rope_head_dim": 32,
    "v_head_dim": 32,
    "num_key_value_heads": 4,
    "n_routed_experts": 8,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 32,
    "n_shared_experts": 1,
    "n_group": 2,
    "topk_group": 1,
    "first_k_dense_replace": 1,
    "routed_scaling_factor": 1.5,
    # What the published checkpoints say and vLLM asks for.
    "topk_method": "noaux_tc",
    "scoring_func": "sigmoid",
    "rope_scaling": {
        "rope_type": "yarn",
        "factor": 4.0,
        "original_max_position_embeddings": 64,
        "mscale": 1.0,
        "mscale_all_dim": 1.0,
        "beta_fast": 32,
        "beta_slow": 1,
    },
}
FAMILIES = {
    "llama": ("Llama", {}),
    "qwen3": ("Qwen3", {"tie_word_embeddings": True}),
    "qwen3_moe": (
        "Qwen3Moe",
        {
            "num_experts": 8,
            "num_experts_per_tok": 2,
            "moe_intermediate_size": 32,
            "norm_topk_prob": True,
            "mlp_only_layers": [0],
            "decoder_sparse_step": 1,
        },
    ),
    "gemma2": ("Gemma2", {"query_pre_attn_scalar": 32, "sliding_window": 8, "tie_word_embeddings": True}),
    "deepseek_v3": ("DeepseekV3", LATENT),
    "mixtral": ("Mixtral", {"num_local_experts": 4, "num_experts_per_tok": 2}),
    "olmo2": ("Olmo2", {}),
    "granite": (
        "Granite",
        {"embedding_multiplier": 3.0, "residual_multiplier": 0.5, "logits_scaling": 2.0, "attention_multiplier": 0.1},
    ),
    "phi3": ("Phi3", {"head_dim": None, "hidden_size": 128}),
    "glm4": ("Glm4", {"partial_rotary_factor": 0.5}),
    "llava": ("Llava", {}),
    "gemma3": ("Gemma3Text", {"query_pre_attn_scalar": 32, "sliding_window": 8, "tie_word_embeddings": True}),
}


def renamed_llama(root):
    """A Llama under another architecture's name and with the keys of Llama's first release."""
    import json

    from safetensors.torch import load_file, save_file

    make(root, "llama")
    os.makedirs(f"{root}/renamed_llama", exist_ok=True)
    with open(f"{root}/llama/config.json") as file:
        config = json.load(file) | {"architectures": ["ElderLlamaForCausalLM"]}
    with open(f"{root}/renamed_llama/config.json", "w") as file:
        json.dump(config, file)
    tensors = load_file(f"{root}/llama/model.safetensors")
    for old, new in {
        "self_attn.q_proj": "attention.wq",
        "self_attn.k_proj": "attention.wk",
        "self_attn.v_proj": "attention.wv",
        "self_attn.o_proj": "attention.wo",
        "mlp.gate_proj": "feed_forward.w1",
        "mlp.up_proj": "feed_forward.w3",
        "mlp.down_proj": "feed_forward.w2",
        "input_layernorm": "attention_norm",
        "post_attention_layernorm": "ffn_norm",
        "model.layers": "transformer.h",
        "model.embed_tokens": "transformer.wte",
        "model.norm": "transformer.ln_f",
    }.items():
        tensors = {key.replace(old, new): value for key, value in tensors.items()}
    save_file(tensors, f"{root}/renamed_llama/model.safetensors", metadata={"format": "pt"})


def llava(root):
    """Its own function: a configuration of configurations, and the names that the hub's checkpoints have."""
    text = t.LlamaConfig(**COMMON)
    vision = t.CLIPVisionConfig(
        hidden_size=64,
        intermediate_size=96,
        num_hidden_layers=2,
        num_attention_heads=2,
        image_size=32,
        patch_size=8,
        projection_dim=64,
    )
    config = t.LlavaConfig(text_config=text, vision_config=vision, image_token_id=5, vision_feature_layer=-2)
    torch.manual_seed(1)
    model = t.LlavaForConditionalGeneration(config).float().eval()
    model.save_pretrained(f"{root}/llava")
    path = f"{root}/llava/model.safetensors"
    from safetensors.torch import load_file, save_file

    tower = "vision_tower."
    names = {k: k.replace(tower, tower + "vision_model.") if "vision_model." not in k else k for k in load_file(path)}
    save_file({names[k]: v for k, v in load_file(path).items()}, path, metadata={"format": "pt"})


CLASSES = {"Gemma3Text": "Gemma3ForCausalLM"}


def make(root, name):
    if name in ("llava", "renamed_llama"):
        {"llava": llava, "renamed_llama": renamed_llama}[name](root)
        return
    stem, more = FAMILIES[name]
    config = {k: v for k, v in {**COMMON, **more}.items() if v is not None}
    torch.manual_seed(1)
    model = getattr(t, CLASSES.get(stem, f"{stem}ForCausalLM"))(getattr(t, f"{stem}Config")(**config)).float().eval()
    with torch.no_grad():
        for key, value in model.named_parameters():
            if "norm" in key or "bias" in key:
                value.add_(torch.randn_like(value) * 0.2)
        for key, value in model.named_buffers():
            if "bias" in key:
                value.add_(torch.randn_like(value) * 0.2)
    model.save_pretrained(f"{root}/{name}")


if __name__ == "__main__":
    for wanted in sys.argv[2:] or FAMILIES:
        make(sys.argv[1], wanted)
