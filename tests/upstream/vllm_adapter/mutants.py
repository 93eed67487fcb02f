"""Mistakes that adapters are made with, put into generated ones on purpose."""

from dataclasses import dataclass

MODULES = {
    "dense": "mara",
    "sliding": "seli",
    "experts": "otara",
    "gated_experts": "piru",
    "tied": "tilo",
    "post_norm": "baku",
    "sandwich": "sando",
    "renamed": "reno",
    "fused": "fulo",
    "partial": "paro",
    "fp8": "otta",
    "latent": "lato",
    "image": "imo",
    "predicting": "preda",
    "axes": "axa",
}


@dataclass(frozen=True)
class Mutant:
    """Attributes:
    name: of the mistake. checkpoint: whose adapter it is put into. edits: old text → new text.
    raises: the mistake is seen as an error while loading.
    """

    name: str
    checkpoint: str
    edits: tuple[tuple[str, str], ...]
    raises: bool = False

    def applied(self, text):
        """Return the adapter with the mistake in it."""
        for old, new in self.edits:
            assert old in text, f"{self.name}: {old!r} is not there"
            text = text.replace(old, new, 1)
        return text


def mutant(name, checkpoint, *edits, raises=False):
    return Mutant(name, checkpoint, edits, raises)


ROTATE = "q, k = self.rotary_emb(positions, q, k)"
FUSED_NORM = "hidden_states, residual = self.post_attention_layernorm(hidden_states, residual)"
SHIFTED = """_, k = self.rotary_emb(positions + 1, q.clone(), k)
        q, _ = self.rotary_emb(positions, q, k.clone())"""
MUTANTS = [
    mutant("bias dropped", "dense", ("bias=True", "bias=False")),
    mutant(
        "query norm dropped",
        "dense",
        ("q = self.q_norm(q.reshape(-1, self.num_heads, self.head_dim)).reshape(q.shape)", "pass"),
    ),
    mutant("key norm with the query norm's gain", "dense", ("k = self.k_norm(", "k = self.q_norm(")),
    mutant(
        "epsilon ten times too large",
        "dense",
        (
            "self.input_layernorm = RMSNorm(config.hidden_size, eps=config.rms_norm_eps)",
            "self.input_layernorm = RMSNorm(config.hidden_size, eps=config.rms_norm_eps * 10)",
        ),
    ),
    mutant(
        "gate and up swapped",
        "dense",
        ('".mlp.gate_proj": (".mlp.gate_up_proj", 0)', '".mlp.gate_proj": (".mlp.gate_up_proj", 1)'),
        ('".mlp.up_proj": (".mlp.gate_up_proj", 1)', '".mlp.up_proj": (".mlp.gate_up_proj", 0)'),
    ),
    mutant(
        "gate and up both into one half",
        "dense",
        ('".mlp.up_proj": (".mlp.gate_up_proj", 1)', '".mlp.up_proj": (".mlp.gate_up_proj", 0)'),
    ),
    mutant("softmax unscaled", "dense", ("self.scaling = self.head_dim**-0.5", "self.scaling = 1.0")),
    mutant(
        "keys rotated one position further",
        "dense",
        (
            ROTATE,
            SHIFTED,
        ),
    ),
    mutant("pairs rotated instead of halves", "dense", ("is_neox_style=True", "is_neox_style=False")),
    mutant(
        "rotary base of another model",
        "dense",
        ("rope_parameters=rope_parameters", 'rope_parameters={"rope_type": "default", "rope_theta": 5e5}'),
    ),
    mutant("rope dropped", "dense", (ROTATE, "pass")),
    mutant(
        "residual dropped before the MLP",
        "dense",
        (FUSED_NORM, "hidden_states = self.post_attention_layernorm(hidden_states)"),
    ),
    mutant(
        "one norm for both halves",
        "dense",
        (FUSED_NORM, FUSED_NORM.replace("self.post_attention_layernorm", "self.input_layernorm")),
    ),
    mutant(
        "last norm dropped",
        "dense",
        ("hidden_states, _ = self.norm(hidden_states, residual)", "hidden_states = hidden_states + residual"),
    ),
    mutant("keys and values swapped", "dense", ("q, k, v = qkv.split", "q, v, k = qkv.split")),
    mutant(
        "embedding unscaled",
        "tied",
        ("self.embed_tokens(input_ids) * self.config.embedding_multiplier", "self.embed_tokens(input_ids)"),
    ),
    mutant("residual unscaled", "tied", ("hidden_states = hidden_states * self.residual_scale", "pass")),
    mutant("logits uncapped", "tied", ("soft_cap=config.final_logit_softcapping", "soft_cap=None")),
    mutant("scores uncapped", "tied", ("logits_soft_cap=config.attn_logit_softcapping", "logits_soft_cap=None")),
    mutant("head not tied", "tied", ("self.lm_head = self.lm_head.tie_weights(self.model.embed_tokens)", "pass")),
    mutant("logits unscaled", "sandwich", ("scale=1 / config.logits_scaling", "scale=1.0")),
    mutant("exact gelu", "sandwich", ('GeluAndMul(approximate="tanh")', "GeluAndMul()")),
    mutant(
        "silu",
        "sandwich",
        ('GeluAndMul(approximate="tanh")', "SiluAndMul()"),
        ("import GeluAndMul", "import SiluAndMul"),
    ),
    mutant(
        "norm behind the attention dropped",
        "sandwich",
        ("hidden_states = self.post_attention_layernorm(hidden_states)", "pass"),
    ),
    mutant("window dropped", "sliding", ('if layer_type == "sliding_attention"', "if False")),
    mutant(
        "window one too wide",
        "sliding",
        ("per_layer_sliding_window=config.sliding_window", "per_layer_sliding_window=config.sliding_window + 1"),
    ),
    mutant(
        "window on the other layers",
        "sliding",
        ('layer_type == "sliding_attention"', 'layer_type != "sliding_attention"'),
    ),
    mutant("expert lost", "experts", ("WeightsMapper(", 'WeightsMapper(orig_to_new_substr={".experts.3.": None}, ')),
    mutant("shared experts dropped", "experts", ("shared_experts=self.shared_experts", "shared_experts=None")),
    mutant(
        "experts unscaled",
        "experts",
        ("routed_scaling_factor=config.routed_scaling_factor", "routed_scaling_factor=1.0"),
    ),
    mutant(
        "weights of the experts not normalised", "experts", ("renormalize=config.norm_topk_prob", "renormalize=False")
    ),
    mutant("one expert a token", "experts", ("top_k=config.num_experts_per_tok", "top_k=1")),
    mutant(
        "gate of the shared expert dropped",
        "gated_experts",
        ("expert_gate=self.shared_expert_gate", "expert_gate=None"),
    ),
    mutant("softmax scores", "gated_experts", ('scoring_func="sigmoid"', 'scoring_func="softmax"')),
    mutant(
        "everything rotated",
        "partial",
        ("rope_parameters=rope_parameters", 'rope_parameters=rope_parameters | {"partial_rotary_factor": 1.0}'),
    ),
    mutant("wide norm without its gain", "post_norm", ("wide.to(x.dtype) * self.weight", "wide.to(x.dtype)")),
    mutant(
        "wide norm of half the width",
        "post_norm",
        ("self.width = total_heads * head_dim", "self.width = total_heads * head_dim // 2"),
    ),
    mutant("fp8 without its scales", "fp8", ("(weight.float() * scale)", "(weight.float() * 1.0)")),
    mutant("scales of the block before", "fp8", ("scale = scale.float()", "scale = scale.float().roll(1, 1)")),
    mutant(
        "scale groups rounded down",
        "fp8",
        ("(-(-rows // block[0]), -(-columns // block[1]))", "(rows // block[0], columns // block[1])"),
        raises=True,
    ),
    mutant("latent attention unsharpened", "latent", ("self.scaling = self.scaling * mscale * mscale", "pass")),
    mutant(
        "projector without its activation",
        "image",
        ("self.linear_2(self.act(hidden_states))", "self.linear_2(hidden_states)"),
    ),
    mutant("one layer of the tower too many", "image", ("layers + feature + 1", "layers + feature + 2")),
    mutant("latent attention rotates halves", "latent", ("is_neox_style=False", "is_neox_style=True")),
]
