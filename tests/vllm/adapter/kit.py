"""A vLLM of a few lines whose symbols are those of an era, and checkpoints with headers."""

from generator.cli.main import run
from tests.vllm.kit import safetensors, write
from tests.vllm.small_vllm import VLLM, lay

LAYERS = "vllm/model_executor/layers"
SYMBOLS = {
    "vllm/compilation/decorators.py": "def support_torch_compile(): ...\n",
    f"{LAYERS}/attention/__init__.py": "from .attention import Attention, MLAAttention\n",
    f"{LAYERS}/rotary_embedding/__init__.py": "def get_rope(): ...\n",
    f"{LAYERS}/mla.py": "class MLAModules: ...\nclass MultiHeadLatentAttentionWrapper: ...\n",
    f"{LAYERS}/layernorm.py": "class RMSNorm: ...\nclass GemmaRMSNorm: ...\n",
    f"{LAYERS}/vocab_parallel_embedding.py": "class ParallelLMHead:\n    def tie_weights(self): ...\n",
    "vllm/model_executor/models/interfaces.py": "\n".join(
        f"class {name}: ..." for name in ("SupportsLoRA", "SupportsPP", "SupportsQuant", "MixtureOfExperts")
    ),
}
STACKED = SYMBOLS | {
    "vllm/model_executor/models/utils.py": "class WeightsMapper:\n    orig_to_new_stacked: dict = None\n",
    f"{LAYERS}/fused_moe/__init__.py": "from .layer import FusedMoEFactory\n",
    f"{LAYERS}/fused_moe/layer.py": "def FusedMoEFactory(num_experts, apply_routed_scale_to_output=False): ...\n",
}
LOOPS = SYMBOLS | {
    "vllm/model_executor/models/utils.py": "class WeightsMapper:\n    orig_to_new_prefix: dict = None\n",
    f"{LAYERS}/fused_moe/__init__.py": "from .shared_fused_moe import SharedFusedMoE\nfrom .layer import FusedMoE\n",
    f"{LAYERS}/fused_moe/layer.py": "class FusedMoE:\n    def __init__(self, num_experts): ...\n",
}
CONFIG = {
    "architectures": ["MaraForCausalLM"],
    "model_type": "mara",
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 32,
    "rms_norm_eps": 1e-6,
    "hidden_act": "silu",
    "vocab_size": 384,
    "max_position_embeddings": 256,
    "rope_theta": 1e4,
    "tie_word_embeddings": False,
}
NAMES = {
    "self_attn.q_proj": [128, 64],
    "self_attn.k_proj": [64, 64],
    "self_attn.v_proj": [64, 64],
    "self_attn.o_proj": [64, 128],
    "mlp.gate_proj": [96, 64],
    "mlp.up_proj": [96, 64],
    "mlp.down_proj": [64, 96],
    "input_layernorm": [64],
    "post_attention_layernorm": [64],
}
ENDS = {"model.embed_tokens.weight": [384, 64], "model.norm.weight": [64], "lm_head.weight": [384, 64]}


def keys(names=NAMES, ends=ENDS, layers=2, stack="model.layers"):
    """Return key → shape."""
    inner = {f"{stack}.{i}.{n}.weight": s for i in range(layers) for n, s in names.items()}
    return inner | ends


def checkpoint(folder, config=CONFIG, shapes=None, **files):
    """Write a checkpoint whose safetensors has only a header."""
    shapes = keys() if shapes is None else shapes
    data = safetensors({key: ("BF16", shape) for key, shape in shapes.items()})
    return write(folder, config, None, **{"model__safetensors": data}, **files)


def vllm(folder, era=STACKED):
    """Lay a small vLLM of an era."""
    return lay(folder, VLLM | era)


def generate(place, *options):
    """Run `scaffold vllm-model` on `place/checkpoint` in `place/vllm`."""
    return run(["vllm-model", str(place / "checkpoint"), "--vllm", str(place / "vllm"), *map(str, options)])
