"""Tiny random checkpoints of invented architectures: `python make.py FOLDER [NAME …]`.

Each has a configuration, weights under the names of its own layout, and `plain/` for the reference.
"""

import json
import math
import os
import re
import sys

import torch
from safetensors.torch import save_file

HIDDEN, INNER, VOCAB, LAYERS, HEADS, KV, SIZE = 64, 96, 384, 2, 4, 2, 32
NAMES = {
    "embed": "model.embed_tokens",
    "final": "model.norm",
    "head": "lm_head",
    "layer": "model.layers.{}.",
    "q": "self_attn.q_proj",
    "k": "self_attn.k_proj",
    "v": "self_attn.v_proj",
    "o": "self_attn.o_proj",
    "q_norm": "self_attn.q_norm",
    "k_norm": "self_attn.k_norm",
    "gate": "mlp.gate_proj",
    "up": "mlp.up_proj",
    "down": "mlp.down_proj",
    "attn_pre": "input_layernorm",
    "mlp_pre": "post_attention_layernorm",
    "router": "mlp.gate",
    "expert": "mlp.experts.",
    "shared": "mlp.shared_experts.",
    "router_bias": "mlp.gate.e_score_correction_bias",
    "shared_gate": "mlp.shared_expert_gate",
    "q_a": "self_attn.q_a_proj",
    "q_a_norm": "self_attn.q_a_layernorm",
    "q_b": "self_attn.q_b_proj",
    "kv_a": "self_attn.kv_a_proj_with_mqa",
    "kv_a_norm": "self_attn.kv_a_layernorm",
    "kv_b": "self_attn.kv_b_proj",
}
BASE = {
    "hidden_size": HIDDEN,
    "intermediate_size": INNER,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "num_key_value_heads": KV,
    "head_dim": SIZE,
    "rms_norm_eps": 1e-6,
    "hidden_act": "silu",
    "vocab_size": VOCAB,
    "max_position_embeddings": 256,
    "rope_theta": 10000.0,
    "tie_word_embeddings": False,
    "torch_dtype": "float32",
    "bos_token_id": 1,
    "eos_token_id": 2,
}


class Maker:
    """Collects parameters under the reference's names, and writes them under the checkpoint's."""

    def __init__(self, arch, model_type, config=None, names=None, **options):
        self.config = {"architectures": [arch], "model_type": model_type, **BASE, **(config or {})}
        self.names = {**NAMES, **(names or {})}
        self.options = {"layers": LAYERS, "head_dim": SIZE, "heads": HEADS, "eps": 1e-6, "theta": 10000.0, **options}
        self.w = {}
        self.random = torch.Generator().manual_seed(sum(map(ord, arch)))

    def matrix(self, name, rows, columns, bias=False):
        self.w[name] = torch.randn(rows, columns, generator=self.random) * columns**-0.5
        if bias:
            self.w[name + ".bias"] = torch.randn(rows, generator=self.random) * 0.5

    def vector(self, name, size, around=1.0, bias=False):
        self.w[name] = around + torch.randn(size, generator=self.random) * 0.3
        if bias:
            self.w[name + ".bias"] = torch.randn(size, generator=self.random) * 0.3

    def attention(self, p, qk_norm=None, bias=False, kv=KV):
        self.matrix(p + "q", HEADS * SIZE, HIDDEN, bias)
        self.matrix(p + "k", kv * SIZE, HIDDEN, bias)
        self.matrix(p + "v", kv * SIZE, HIDDEN, bias)
        self.matrix(p + "o", HIDDEN, HEADS * SIZE)
        around = 1 - self.options.get("gain", 0)
        if qk_norm:
            wide = qk_norm == "full"
            self.vector(p + "q_norm", HEADS * SIZE if wide else SIZE, around)
            self.vector(p + "k_norm", kv * SIZE if wide else SIZE, around)

    def mlp(self, p, inner=INNER, gated=True, bias=False):
        if gated:
            self.matrix(p + "gate", inner, HIDDEN, bias)
        self.matrix(p + "up", inner, HIDDEN, bias)
        self.matrix(p + "down", HIDDEN, inner, bias)

    def moe(self, p, experts, inner, shared=0, corrected=False, shared_gate=False):
        self.matrix(p + "router", experts, HIDDEN)
        if corrected:
            self.vector(p + "router_bias", experts, 0.0)
        for expert in range(experts):
            self.mlp(f"{p}expert.{expert}.", inner)
        if shared:
            self.mlp(p + "shared.", shared)
        if shared_gate:
            self.matrix(p + "shared_gate", 1, HIDDEN)

    def norms(self, p, *slots, bias=False):
        for slot in slots:
            self.vector(p + slot, HIDDEN, 1 - self.options.get("gain", 0), bias)

    def ends(self, bias=False):
        self.w["embed"] = torch.randn(VOCAB, HIDDEN, generator=self.random)
        self.vector("final", HIDDEN, 1 - self.options.get("gain", 0), bias)
        if not self.options.get("tied"):
            self.matrix("head", VOCAB, HIDDEN)

    def key(self, name):
        """The checkpoint's key of a reference parameter."""
        stem, bias = (name[:-5], ".bias") if name.endswith(".bias") else (name, ".weight")
        found = re.fullmatch(r"(\d+)\.(.*)", stem)
        if not found:
            return self.names[stem] + bias
        layer, rest = self.names["layer"].format(found[1]), found[2]
        if rest == "router_bias":
            return layer + self.names[rest]
        if inner := re.fullmatch(r"(expert\.\d+|shared)\.(\w+)", rest):
            block, part = inner.groups()
            head, _, number = block.partition(".")
            own = self.names.get(f"{head}.{part}", self.names[part].rpartition(".")[2])
            return layer + self.names[head] + (f"{number}." if number else "") + own + bias
        return layer + self.names[rest] + bias

    def fused(self, tensors, name, parts):
        """Stack parts below each other in one key."""
        for layer in range(LAYERS):
            keys = [self.key(f"{layer}.{part}") for part in parts]
            whole = torch.cat([tensors.pop(key) for key in keys])
            tensors[self.names["layer"].format(layer) + name + ".weight"] = whole

    def write(self, root, name, change=None):
        folder = os.path.join(root, name)
        os.makedirs(os.path.join(folder, "plain"), exist_ok=True)
        tensors = {self.key(key): value.clone() for key, value in self.w.items()}
        if change:
            change(tensors)
        with open(os.path.join(folder, "config.json"), "w") as file:
            json.dump(self.config, file, indent=1)
        with open(os.path.join(folder, "plain", "options.json"), "w") as file:
            json.dump(self.options, file, indent=1)
        save_file(
            {k: v.contiguous() for k, v in tensors.items()},
            os.path.join(folder, "model.safetensors"),
            metadata={"format": "pt"},
        )
        save_file({k: v.contiguous() for k, v in self.w.items()}, os.path.join(folder, "plain", "weights.safetensors"))


def dense(root, name):
    m = Maker("MaraForCausalLM", "mara", {"rms_norm_eps": 1e-4}, qk_norm="head", eps=1e-4)
    for layer in range(LAYERS):
        m.attention(f"{layer}.", "head", bias=True)
        m.mlp(f"{layer}.")
        m.norms(f"{layer}.", "attn_pre", "mlp_pre")
    m.ends()
    m.write(root, name)


def sliding(root, name):
    types = ["sliding_attention", "full_attention"]
    m = Maker("SeliForCausalLM", "seli", {"layer_types": types, "sliding_window": 8}, windows=[8, None])
    for layer in range(LAYERS):
        m.attention(f"{layer}.")
        m.mlp(f"{layer}.")
        m.norms(f"{layer}.", "attn_pre", "mlp_pre")
    m.ends()
    m.write(root, name)


def experts(root, name):
    config = {
        "n_routed_experts": 8,
        "num_experts_per_tok": 2,
        "moe_intermediate_size": 32,
        "n_shared_experts": 2,
        "first_k_dense_replace": 1,
        "norm_topk_prob": True,
        "routed_scaling_factor": 1.7,
        "scoring_func": "softmax",
    }
    m = Maker("OtaraForCausalLM", "otara", config, top_k=2, routed_scale=1.7)
    for layer in range(LAYERS):
        p = f"{layer}."
        m.attention(p)
        m.moe(p, 8, 32, shared=64) if layer else m.mlp(p)
        m.norms(p, "attn_pre", "mlp_pre")
    m.ends()
    m.write(root, name)


def gated_experts(root, name):
    """Sigmoid routing with a correction, a gate on the shared expert, w1/w2/w3 names, unnormalised weights."""
    config = {
        "num_experts": 4,
        "num_experts_per_tok": 2,
        "moe_intermediate_size": 32,
        "norm_topk_prob": False,
        "shared_expert_intermediate_size": 48,
        "scoring_func": "sigmoid",
        "n_group": 1,
        "topk_group": 1,
    }
    names = {"gate": "mlp.w1", "up": "mlp.w3", "down": "mlp.w2", "shared": "mlp.shared_expert."}
    m = Maker("PiruForCausalLM", "piru", config, names, top_k=2, scoring="sigmoid", renormalize=False)
    for layer in range(LAYERS):
        p = f"{layer}."
        m.attention(p)
        m.moe(p, 4, 32, shared=48, corrected=True, shared_gate=True)
        m.norms(p, "attn_pre", "mlp_pre")
    m.ends()
    m.write(root, name)


def tied(root, name):
    """Tied embeddings, and every factor and cap that a field can name."""
    config = {
        "tie_word_embeddings": True,
        "embedding_multiplier": 3.0,
        "residual_multiplier": 0.7,
        "attention_multiplier": 0.11,
        "final_logit_softcapping": 5.0,
        "attn_logit_softcapping": 4.0,
    }
    m = Maker(
        "TiloForCausalLM",
        "tilo",
        config,
        tied=True,
        embed_scale=3.0,
        residual_scale=0.7,
        scale=0.11,
        logit_cap=5.0,
        score_cap=4.0,
    )
    for layer in range(LAYERS):
        m.attention(f"{layer}.")
        m.mlp(f"{layer}.")
        m.norms(f"{layer}.", "attn_pre", "mlp_pre")
    m.ends()
    m.write(root, name)


def post_norm(root, name):
    names = {"attn_post": "post_attention_layernorm", "mlp_post": "post_feedforward_layernorm"}
    m = Maker("BakuForCausalLM", "baku", {}, names, qk_norm="full")
    for layer in range(LAYERS):
        m.attention(f"{layer}.", "full")
        m.mlp(f"{layer}.")
        m.norms(f"{layer}.", "attn_post", "mlp_post")
    m.ends()
    m.write(root, name)


def sandwich(root, name):
    names = {
        "attn_post": "post_attention_layernorm",
        "mlp_pre": "pre_feedforward_layernorm",
        "mlp_post": "post_feedforward_layernorm",
    }
    config = {"hidden_act": "gelu_pytorch_tanh", "query_pre_attn_scalar": 48, "logits_scaling": 2.0}
    m = Maker("SandoForCausalLM", "sando", config, names, act="gelu_tanh", scale=48**-0.5, logit_scale=0.5)
    for layer in range(LAYERS):
        m.attention(f"{layer}.")
        m.mlp(f"{layer}.")
        m.norms(f"{layer}.", "attn_pre", "attn_post", "mlp_pre", "mlp_post")
    m.ends()
    m.write(root, name)


def renamed(root, name):
    names = {
        "embed": "transformer.wte",
        "final": "transformer.ln_f",
        "layer": "transformer.h.{}.",
        "q": "attn.wq",
        "k": "attn.wk",
        "v": "attn.wv",
        "o": "attn.wo",
        "gate": "feed_forward.w1",
        "up": "feed_forward.w3",
        "down": "feed_forward.w2",
        "attn_pre": "attention_norm",
        "mlp_pre": "ffn_norm",
    }
    m = Maker("RenoForCausalLM", "reno", {}, names)
    for layer in range(LAYERS):
        m.attention(f"{layer}.")
        m.mlp(f"{layer}.")
        m.norms(f"{layer}.", "attn_pre", "mlp_pre")
    m.ends()
    m.write(root, name)


def fused(root, name):
    m = Maker("FuloForCausalLM", "fulo")
    for layer in range(LAYERS):
        m.attention(f"{layer}.")
        m.mlp(f"{layer}.")
        m.norms(f"{layer}.", "attn_pre", "mlp_pre")
    m.ends()

    def change(tensors):
        m.fused(tensors, "self_attn.qkv_proj", ("q", "k", "v"))
        m.fused(tensors, "mlp.gate_up_proj", ("gate", "up"))

    m.write(root, name, change)


def partial(root, name):
    m = Maker("ParoForCausalLM", "paro", {"partial_rotary_factor": 0.5, "rope_theta": 5000.0}, rotary=16, theta=5000.0)
    for layer in range(LAYERS):
        m.attention(f"{layer}.")
        m.mlp(f"{layer}.")
        m.norms(f"{layer}.", "attn_pre", "mlp_pre")
    m.ends()
    m.write(root, name)


def axes(root, name):
    """A rotation with a part for each of three axes; text stands at the same place on all."""
    rope = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [4, 6, 6]}
    m = Maker("AxaForCausalLM", "axa", {"rope_parameters": rope})
    del m.config["rope_theta"]
    for layer in range(LAYERS):
        m.attention(f"{layer}.")
        m.mlp(f"{layer}.")
        m.norms(f"{layer}.", "attn_pre", "mlp_pre")
    m.ends()
    m.write(root, name)


def fp8(root, name):
    block = (64, 48)
    config = {
        "quantization_config": {
            "quant_method": "fp8",
            "weight_block_size": list(block),
            "fmt": "e4m3",
            "activation_scheme": "dynamic",
            "modules_to_not_convert": ["lm_head"],
        }
    }
    m = Maker("OttaForCausalLM", "otta", config)
    for layer in range(LAYERS):
        m.attention(f"{layer}.")
        m.mlp(f"{layer}.")
        m.norms(f"{layer}.", "attn_pre", "mlp_pre")
    m.ends()
    quantised = {}
    for key, weight in m.w.items():
        if weight.dim() == 2 and key[0].isdigit():
            quantised[key] = blocks(weight, block)
            m.w[key] = spread(*quantised[key], block)

    def change(tensors):
        for key, (low, scale) in quantised.items():
            tensors[m.key(key)] = low
            tensors[m.key(key) + "_scale_inv"] = scale

    m.write(root, name, change)


def blocks(weight, block):
    """Return (fp8 weight, scale of each block)."""
    rows, columns = (-(-n // b) for n, b in zip(weight.shape, block, strict=True))
    scale = torch.zeros(rows, columns)
    low = torch.zeros_like(weight)
    for i in range(rows):
        for j in range(columns):
            where = (slice(i * block[0], (i + 1) * block[0]), slice(j * block[1], (j + 1) * block[1]))
            scale[i, j] = weight[where].abs().max() / 448
            low[where] = weight[where] / scale[i, j]
    return low.to(torch.float8_e4m3fn), scale


def spread(low, scale, block):
    """Return the weight that a quantised one stands for, element by element."""
    row, column = torch.arange(low.shape[0]) // block[0], torch.arange(low.shape[1]) // block[1]
    return low.float() * scale[row][:, column]


def latent(root, name):
    config = {
        "kv_lora_rank": 512,
        "q_lora_rank": 48,
        "qk_nope_head_dim": 64,
        "qk_rope_head_dim": 64,
        "v_head_dim": 64,
        "rope_interleave": True,
        "num_key_value_heads": HEADS,
        "rope_scaling": {
            "rope_type": "yarn",
            "factor": 4.0,
            "original_max_position_embeddings": 64,
            "beta_fast": 32,
            "beta_slow": 1,
            "mscale": 1.0,
            "mscale_all_dim": 1.0,
        },
    }
    sharper = (0.1 * math.log(4.0) + 1) ** 2
    m = Maker(
        "LatoForCausalLM",
        "lato",
        config,
        latent=True,
        nope=64,
        rope=64,
        value=64,
        pairs=True,
        yarn={"factor": 4.0, "length": 64},
        scale=128**-0.5 * sharper,
    )
    del m.config["head_dim"]
    for layer in range(LAYERS):
        p = f"{layer}."
        m.matrix(p + "q_a", 48, HIDDEN)
        m.vector(p + "q_a_norm", 48)
        m.matrix(p + "q_b", HEADS * 128, 48)
        m.matrix(p + "kv_a", 512 + 64, HIDDEN)
        m.vector(p + "kv_a_norm", 512)
        m.matrix(p + "kv_b", HEADS * (64 + 64), 512)
        m.matrix(p + "o", HIDDEN, HEADS * 64)
        m.mlp(p)
        m.norms(p, "attn_pre", "mlp_pre")
    m.ends()
    m.write(root, name)


def image(root, name):
    """A text model of its own with transformers' CLIP as its tower."""
    from transformers import CLIPVisionConfig, CLIPVisionModel

    vision = {
        "hidden_size": 64,
        "intermediate_size": 96,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "image_size": 32,
        "patch_size": 8,
        "model_type": "clip_vision_model",
        "projection_dim": 64,
        "hidden_act": "gelu",
    }
    names = {
        "embed": "language_model.model.embed_tokens",
        "final": "language_model.model.norm",
        "head": "language_model.lm_head",
        "layer": "language_model.model.layers.{}.",
        "look1": "multi_modal_projector.linear_1",
        "look2": "multi_modal_projector.linear_2",
    }
    m = Maker("ImoForConditionalGeneration", "imo", {}, names, qk_norm="head", image_token=5)
    text = {k: v for k, v in m.config.items() if k not in ("architectures", "model_type")} | {"model_type": "imo_text"}
    m.config = {
        "architectures": m.config["architectures"],
        "model_type": "imo",
        "text_config": text,
        "vision_config": vision,
        "image_token_index": 5,
        "vision_feature_layer": -2,
        "vision_feature_select_strategy": "default",
        "projector_hidden_act": "gelu",
        "tie_word_embeddings": False,
        "torch_dtype": "float32",
    }
    for layer in range(LAYERS):
        m.attention(f"{layer}.", "head")
        m.mlp(f"{layer}.")
        m.norms(f"{layer}.", "attn_pre", "mlp_pre")
    m.ends()
    m.matrix("look1", HIDDEN, 64, bias=True)
    m.matrix("look2", HIDDEN, HIDDEN, bias=True)
    torch.manual_seed(2)
    tower = CLIPVisionModel(CLIPVisionConfig(**vision)).float().eval()
    os.makedirs(os.path.join(root, name, "plain"), exist_ok=True)
    state = {k: v.contiguous() for k, v in tower.state_dict().items()}
    save_file(state, os.path.join(root, name, "plain", "tower.safetensors"))
    m.write(
        root,
        name,
        lambda tensors: tensors.update(
            {
                "vision_tower.vision_model." + k.removeprefix("vision_model."): v.clone()
                for k, v in state.items()
                if "position_ids" not in k
            }
        ),
    )
    processor(os.path.join(root, name))


def processor(folder):
    """A tokenizer of bytes, and the processor that LLaVA has."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import CLIPImageProcessor, LlavaProcessor, PreTrainedTokenizerFast

    special = ["<pad>", "<s>", "</s>", "<a>", "<b>", "<image>"]
    vocabulary = {token: number for number, token in enumerate(special + sorted(pre_tokenizers.ByteLevel.alphabet()))}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="<pad>",
        bos_token="<s>",
        eos_token="</s>",
        additional_special_tokens=special[3:],
    )
    size = {"height": 32, "width": 32}
    images = CLIPImageProcessor(size=size, crop_size=size, do_center_crop=False)
    LlavaProcessor(
        images,
        fast,
        patch_size=8,
        vision_feature_select_strategy="default",
        image_token="<image>",
        num_additional_image_tokens=1,
    ).save_pretrained(folder)


def predicting(root, name):
    """A layer for multi-token prediction behind the others, in DeepSeek's form."""
    m = Maker("PredaForCausalLM", "preda", {"num_nextn_predict_layers": 1})
    for layer in range(LAYERS + 1):
        m.attention(f"{layer}.")
        m.mlp(f"{layer}.")
        m.norms(f"{layer}.", "attn_pre", "mlp_pre")
    m.ends()
    extra = {"enorm": (HIDDEN,), "hnorm": (HIDDEN,), "eh_proj": (HIDDEN, 2 * HIDDEN), "shared_head.norm": (HIDDEN,)}
    m.write(
        root,
        name,
        lambda tensors: tensors.update(
            {f"model.layers.{LAYERS}.{k}.weight": torch.randn(shape, generator=m.random) for k, shape in extra.items()}
        ),
    )


ALL = {
    f.__name__: f
    for f in (
        dense,
        sliding,
        experts,
        gated_experts,
        tied,
        post_norm,
        sandwich,
        renamed,
        fused,
        partial,
        axes,
        fp8,
        latent,
        image,
        predicting,
    )
}

if __name__ == "__main__":
    for wanted in sys.argv[2:] or ALL:
        ALL[wanted](sys.argv[1], wanted)
