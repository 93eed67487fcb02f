"""How the weights are quantised, in the order in which vllm-ascend and vLLM look."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from ..checkpoint.checkpoint import Checkpoint
from ..finding import Finding
from .fields import Config, Field, short

MODELOPT = {
    "FP8": "modelopt",
    "FP8_PER_CHANNEL_PER_TOKEN": "modelopt",
    "FP8_PB_WO": "modelopt",
    "NVFP4": "modelopt_fp4",
    "MXFP8": "modelopt_mxfp8",
}
IGNORES = ("ignored_layers", "modules_to_not_convert", "ignore", "exclude_modules", "exclude")
NO_QUANT = ("FLOAT",)


@dataclass
class Quantization:
    """Attributes:
    method: vLLM's name: `fp8`, `compressed-tensors`, `modelopt`, `ascend`, `awq`, `gptq` ….
    scheme: `block`, `tensor`, `channel`, `4 bit, group 128` …, or "".
    block: (rows, columns) of a block scale, or None.
    ignored: module names that stay unquantised.
    types: ModelSlim's types and how many weights have each.
    """

    method: str
    scheme: str = ""
    block: tuple[int, int] | None = None
    group: int = 0
    ignored: list[str] = field(default_factory=list)
    types: dict[str, int] = field(default_factory=dict)
    says: list[str] = field(default_factory=list)

    def as_json(self) -> dict:
        """Return the documented object."""
        return {
            "method": self.method,
            "scheme": self.scheme,
            "block": list(self.block) if self.block else None,
            "group": self.group,
            "ignored": self.ignored,
            "types": self.types,
            "says": self.says,
        }


def read_quantization(config: Config, checkpoint: Checkpoint) -> Quantization | None:
    """Return the quantisation, or None for full-precision weights. Two sources that differ are a finding."""
    found = [q for q in (_modelslim(checkpoint), _from_config(config), _from_hf_file(checkpoint)) if q]
    methods = list(dict.fromkeys(q.method for q in found))
    if len(methods) > 1:
        config.findings.append(
            Finding(
                "C06",
                "warning",
                "quantization",
                "; ".join(f"{q.method} says {q.says[0]}" for q in found) + f"; vllm-ascend takes {found[0].method}",
                "config.json",
                next="remove the description that is not meant",
            )
        )
    return found[0] if found else None


def _modelslim(checkpoint: Checkpoint) -> Quantization | None:
    if checkpoint.modelslim is None:
        return None
    types = Counter(v for k, v in checkpoint.modelslim.items() if isinstance(v, str) and k.endswith(".weight"))
    name = checkpoint.modelslim.get("model_quant_type")
    quantised = [t for t in types if t not in NO_QUANT]
    scheme = name if isinstance(name, str) else quantised[0] if quantised else ""
    return Quantization("ascend", scheme, types=dict(types.most_common(20)), says=["quant_model_description.json"])


def _from_config(config: Config) -> Quantization | None:
    found = config.root_get("quantization_config", "compression_config") or config.text_get(
        "quantization_config", "compression_config"
    )
    if found is None:
        return None
    if not isinstance(found.value, dict):
        config.findings.append(
            Finding(
                "C04",
                "warning",
                found.path,
                f"is {short(found.value)}, not an object",
                "config.json",
                next="correct the field",
            )
        )
        return None
    return _describe(found)


def _describe(found: Field) -> Quantization | None:
    value, path = found.value, found.path
    method, says = _method(value), []
    says.append(f"{path}.quant_method = {short(value.get('quant_method'))}" if "quant_method" in value else path)
    result = Quantization(method, says=says)
    result.ignored = _ignored(value)
    block = value.get("weight_block_size")
    if isinstance(block, list) and len(block) == 2 and all(type(n) is int and n > 0 for n in block):
        result.block, result.scheme = (block[0], block[1]), "block"
        says.append(f"{path}.weight_block_size = {block}")
    elif method == "fp8":
        result.scheme = "tensor"
    bits, group = value.get("bits", value.get("w_bit")), value.get("group_size", value.get("q_group_size"))
    result.group = group if type(group) is int and group > 0 else 0
    if type(bits) is int:
        result.scheme = f"{bits} bit" + (f", group {group}" if result.group else "")
    groups = value.get("config_groups")
    if isinstance(groups, dict) and groups:
        result.scheme, result.group = _compressed(value, groups)
    return result


def _method(value: dict) -> str:
    producer = value.get("producer")
    algorithm = value.get("quant_algo") or _nested(value, "quantization", "quant_algo")
    if isinstance(algorithm, str) and (_nested(value, "producer", "name") == "modelopt" or producer is None):
        named = MODELOPT.get(algorithm.upper())
        if named:
            return named
    method = value.get("quant_method")
    return (
        method.lower().replace("compressed_tensors", "compressed-tensors")[:60]
        if isinstance(method, str)
        else "unknown"
    )


def _nested(value: dict, *names: str) -> object:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _compressed(value: dict, groups: dict) -> tuple[str, int]:
    weights = next(
        (g["weights"] for g in groups.values() if isinstance(g, dict) and isinstance(g.get("weights"), dict)), {}
    )
    words = [
        value.get("format"),
        f"{weights.get('num_bits')} bit" if weights.get("num_bits") else None,
        weights.get("strategy"),
    ]
    group = weights.get("group_size")
    return ", ".join(w for w in words if isinstance(w, str)), group if type(group) is int and group > 0 else 0


def _ignored(value: dict) -> list[str]:
    found = next((value[n] for n in IGNORES if isinstance(value.get(n), list)), [])
    return [name for name in found if isinstance(name, str)]


def _from_hf_file(checkpoint: Checkpoint) -> Quantization | None:
    value = checkpoint.extra.get("hf_quant_config.json")
    if value is None:
        return None
    result = Quantization(_method(value), says=["hf_quant_config.json"])
    inner = value.get("quantization")
    result.ignored = _ignored(inner) if isinstance(inner, dict) else []
    return result
