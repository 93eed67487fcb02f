"""A checkpoint's quantised weights against the layout that the patched layers assume."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from generator.errors import ScaffoldError
from generator.survey.awq_layout import TENSORS, Assumed
from generator.vllm.checkpoint.folder import Folder
from generator.vllm.checkpoint.json_data import BadCheckpoint, parse_object
from generator.vllm.checkpoint.tensor import Tensor
from generator.vllm.checkpoint.weights import read_weights

_W_BIT = 4
_CONFIGS = ("config.json", "quantize_config.json", "quant_config.json")
_FLOATS = ("F16", "BF16", "F32")
# safetensors' names of dtypes, by torch's.
_DTYPES = {"int32": "I32", "int64": "I64", "int8": "I8", "uint8": "U8", "float16": "F16", "bfloat16": "BF16"}
_KV_SCALES = (".k_scale", ".v_scale", ".kv_scale", "k_proj.kv_cache_scale", "kv_cache_offset")


@dataclass(frozen=True)
class Comparison:
    """What a checkpoint's weights are, against what is assumed.

    Attributes:
        layers: how many quantised layers were compared.
        differences: one sentence for each sort of difference, with the first layer that has it.
        kv_scales: a tensor that scales the KV cache, or None.
    """

    layers: int
    differences: tuple[str, ...]
    kv_scales: str | None


def compare(folder: Path, assumed: Mapping[str, Assumed]) -> Comparison:
    """Read the safetensors headers of a folder and compare them; nothing of it is imported or executed.

    Raises:
        ScaffoldError: no such folder, or no quantised layer in it.
    """
    try:
        opened = Folder.open(folder)
        weights = read_weights(opened, opened.names())
    except BadCheckpoint as error:
        raise ScaffoldError(error.what, where=str(folder), next=error.next) from None
    broken = next((f for f in weights.findings if f.severity == "error"), None)
    if broken:
        raise ScaffoldError(broken.message, where=broken.path, next=broken.next or "fetch the files again")
    tensors = weights.tensors
    layers = sorted({key.removesuffix(".qweight") for key in tensors if key.endswith(".qweight")})
    if not layers:
        raise ScaffoldError(
            "no layer of this checkpoint has a qweight", where=str(folder), next="give an AWQ or GPTQ checkpoint"
        )
    group = _group_size(opened)
    found: dict[str, str] = {}
    for layer in layers:
        for sort, text in _differences(layer, tensors, assumed, group):
            found.setdefault(sort, text)
    kv = next((key for key in tensors if key.endswith(_KV_SCALES)), None)
    return Comparison(len(layers), tuple(found.values()), kv)


def _differences(
    layer: str, tensors: Mapping[str, Tensor], assumed: Mapping[str, Assumed], group: int | None
) -> Iterator[tuple[str, str]]:
    """Sort and sentence of each difference of one layer."""
    qweight, scales = tensors[f"{layer}.qweight"], tensors.get(f"{layer}.scales")
    if scales is None or len(scales.shape) != 2 or len(qweight.shape) != 2:
        yield "scales", f"{layer} has no two-dimensional scales beside its qweight"
        return
    packed, (groups, out) = 32 // _W_BIT, scales.shape
    axis = 1 if qweight.shape[1] * packed == out else 0 if qweight.shape[1] == out else None
    if axis is None:
        yield "axis", f"{layer}.qweight {qweight.shape} packs {_W_BIT} bits along neither axis of {out} output features"
        return
    wide = qweight.shape[0] * (packed if axis == 0 else 1)
    size = wide // groups if groups else 0
    if axis == 0:
        yield "axis", f"{layer}.qweight {qweight.shape} is packed along axis 0; the patched layers unpack axis 1"
    if group is not None and group > 0 and group != size:
        yield "group", f"{layer} has groups of {size} input features, the configuration says {group}"
    sizes = {"in_features": wide, "out_features": out, "group_size": size, "w_bit": _W_BIT}
    for name in TENSORS:
        tensor = tensors.get(f"{layer}.{name}")
        if tensor is None:
            yield name, f"{layer} has no {name}; {_place(assumed[name])} makes one" if name in assumed else f"no {name}"
        elif name in assumed and not (name == "qweight" and axis == 0):
            yield from _one(f"{layer}.{name}", name, tensor, assumed[name], sizes)


def _one(key: str, name: str, tensor: Tensor, it: Assumed, sizes: dict[str, int]) -> Iterator[tuple[str, str]]:
    shape = it.shape(sizes)
    if shape is not None and shape != tensor.shape:
        dims = ", ".join(it.dims)
        yield f"{name} shape", f"{key} has shape {tensor.shape}, assumed is ({dims}) = {shape}, {_place(it)}"
    good = tensor.dtype in _FLOATS if it.dtype is None else tensor.dtype == _DTYPES.get(it.dtype, it.dtype)
    if not good:
        wanted = it.dtype or "the dtype of the model"
        yield f"{name} dtype", f"{key} is {tensor.dtype}, assumed is {wanted}, {_place(it)}"


def _place(it: Assumed) -> str:
    return f"dlinfer/{it.path}:{it.line}"


def _group_size(folder: Folder) -> int | None:
    """The group size that a configuration beside the weights states."""
    for name in _CONFIGS:
        data = folder.read(name)
        if data is None:
            continue
        try:
            config: dict[str, Any] = parse_object(data, name)
        except BadCheckpoint:
            continue
        quant = config.get("quantization_config", config)
        for key in ("group_size", "q_group_size"):
            if isinstance(quant, dict) and isinstance(quant.get(key), int):
                return quant[key]
    return None
