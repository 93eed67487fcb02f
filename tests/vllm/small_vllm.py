"""A vLLM and a vllm-ascend of a few files, in the real structural forms."""

from pathlib import Path

from generator.vllm.decision.checkouts import Checkouts

REGISTRY = """_TEXT_GENERATION_MODELS = {
    # [Decoder-only]
    "LlamaForCausalLM": ("llama", "LlamaForCausalLM"),
    "AquilaForCausalLM": ("llama", "LlamaForCausalLM"),  # AquilaChat2
    "Qwen3ForCausalLM": ("qwen3", "Qwen3ForCausalLM"),
    "Qwen3MoeForCausalLM": ("qwen3_moe", "Qwen3MoeForCausalLM"),
    "Mamba2ForCausalLM": ("mamba2", "Mamba2ForCausalLM"),
}

_EMBEDDING_MODELS = {
    # [Text-only]
    "BertModel": ("bert", "BertModel"),
    **{k: v for k, v in _TEXT_GENERATION_MODELS.items() if v[1] == "LlamaForCausalLM"},
    # [Multimodal]
    "ClipModel": ("clip", "ClipModel"),
}

_SPECULATIVE_DECODING_MODELS = {
    "GlmMTPModel": ("glm_mtp", "GlmMTP"),
    # Temporarily disabled.
    # "Off": ("off", "Off"),
}

_TRANSFORMERS_BACKEND_MODELS = {
    "TransformersForCausalLM": ("transformers", "TransformersForCausalLM"),
}

_PREVIOUSLY_SUPPORTED_MODELS = {"OldForCausalLM": "0.9.2"}
_OOT_SUPPORTED_MODELS = {"BartModel": "https://example.org/bart"}
"""
CONVERTOR = """class ModelArchConfigConvertorBase:
    def is_deepseek_mla(self):
        if not self.c:
            return False
        elif self.c.model_type in (
            "deepseek_v2",
            "deepseek_v3",
        ):
            return True
        return False


class GlmMTPModelArchConfigConvertor(ModelArchConfigConvertorBase):
    def get_num_hidden_layers(self):
        return getattr(self.c, "num_nextn_predict_layers", 0)


MODEL_ARCH_CONFIG_CONVERTORS = {
    "glm_mtp": GlmMTPModelArchConfigConvertor,
}
"""
SPECULATIVE = """MTPModelTypes = Literal[
    "glm_mtp",
]


class SpeculativeConfig:
    @staticmethod
    def hf_config_override(hf_config):
        if hf_config.model_type == "glm":
            hf_config.update({"architectures": ["GlmMTPModel"]})
        return hf_config
"""
MODEL_CONFIG = """_SUFFIX_TO_DEFAULTS = [
    ("ForCausalLM", ("generate", "none")),
    ("ForSequenceClassification", ("pooling", "classify")),
    ("Model", ("pooling", "embed")),
]
"""
LLAMA = """# SPDX-License-Identifier: Apache-2.0
from vllm.layers import SiluAndMul


class LlamaMLP:
    def __init__(self):
        self.gate_up_proj = self.down_proj = None  # gate_proj up_proj
        self.act = SiluAndMul()


class LlamaForCausalLM(nn.Module, SupportsPP):
    packed_modules_mapping = {
        "qkv_proj": ["q_proj", "k_proj", "v_proj"],
        "gate_up_proj": ["gate_proj", "up_proj"],
    }
    names = "o_proj input_layernorm post_attention_layernorm"

    def __init__(self, *, vllm_config, prefix=""):
        self.mlp = LlamaMLP()
        self.model = self.lm_head = None
"""
QWEN3 = LLAMA.replace("Llama", "Qwen3").replace("post_attention_layernorm", "post_attention_layernorm q_norm k_norm")
MAMBA = """from vllm.layers import MambaMixer2


class Mamba2ForCausalLM:
    def __init__(self):
        self.backbone = MambaMixer2()
        self.lm_head = None
"""
OPS = """@CustomOp.register("silu_and_mul")
class SiluAndMul(CustomOp):
    pass


@PluggableLayer.register("mamba_mixer2")
class MambaMixer2(PluggableLayer):
    pass
"""
LAZY = """_CLASS_TO_MODULE = {
    "%s": "a",
}

__all__ = [
    "%s",
]
"""
EXAMPLES = """_TEXT_GENERATION_EXAMPLE_MODELS = {
    # [Decoder-only]
    "LlamaForCausalLM": _HfExamplesInfo("meta/llama"),
    "Qwen3ForCausalLM": _HfExamplesInfo("Qwen/Qwen3-8B"),
}
"""
PAGE = """# Models

| Architecture | Models | Example HF Models | [LoRA](a) | [PP](b) |
| --- | --- | --- | --- | --- |
| `LlamaForCausalLM` | Llama | `meta/llama`, etc. | ✅︎ | ✅︎ |
| `Qwen3ForCausalLM` | Qwen3 | `Qwen/Qwen3-8B` | ✅︎ | ✅︎ |

End.
"""
MODELS = """from vllm import ModelRegistry


def register_model():
    ModelRegistry.register_model("DeepSeekMTPModel", "vllm_ascend.models.deepseek_mtp:AscendDeepSeekMTP")
"""
UTILS = """def register_ascend_customop():
    global REGISTERED_ASCEND_OPS
    REGISTERED_ASCEND_OPS = {
        "SiluAndMul": AscendSiluAndMul,
    }
"""
MODELSLIM = """packed_modules_model_mapping: dict[str, dict[str, list[str]]] = {
    "qwen3": {
        "qkv_proj": ["q_proj", "k_proj", "v_proj"],
    },
}

QUANT_MODEL_PREFIX_MAPPINGS = {
    "deepseek_v4": {
        "layers.": "model.layers.",
    },
}
"""
VLLM = {
    "vllm/model_executor/models/registry.py": REGISTRY,
    "vllm/model_executor/models/llama.py": LLAMA,
    "vllm/model_executor/models/qwen3.py": QWEN3,
    "vllm/model_executor/models/qwen3_moe.py": QWEN3.replace("Qwen3F", "Qwen3MoeF").replace(
        "SiluAndMul()", "FusedMoE()"
    ),
    "vllm/model_executor/models/mamba2.py": MAMBA,
    "vllm/model_executor/layers.py": OPS,
    "vllm/transformers_utils/model_arch_config_convertor.py": CONVERTOR,
    "vllm/transformers_utils/config.py": '_CONFIG_REGISTRY = LazyConfigDict(\n    qwen3_next="Qwen3NextConfig",\n)\n',
    "vllm/transformers_utils/configs/__init__.py": LAZY % ("AConfig", "AConfig"),
    "vllm/transformers_utils/processors/__init__.py": LAZY % ("AProcessor", "AProcessor"),
    "vllm/config/speculative.py": SPECULATIVE,
    "vllm/config/model.py": MODEL_CONFIG,
    "tests/models/registry.py": EXAMPLES,
    "docs/models/supported_models.md": PAGE,
}
ASCEND = {
    "vllm_ascend/__init__.py": "",
    "vllm_ascend/models/__init__.py": MODELS,
    "vllm_ascend/utils.py": UTILS,
    "vllm_ascend/quantization/modelslim_config.py": MODELSLIM,
    "vllm_ascend/platform.py": 'class NPU:\n    supported_quantization = ["ascend", "compressed-tensors"]\n',
    "requirements.txt": "torch==2.10.0\ntransformers==5.14.1\n",
}


def lay(folder: Path, files: dict[str, str]) -> Path:
    """Write files below `folder` and return it."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def checkouts(folder: Path) -> Checkouts:
    """Return both checkouts, laid beside each other in `folder`."""
    return Checkouts.of(lay(folder / "vllm", VLLM), lay(folder / "vllm-ascend", ASCEND))
