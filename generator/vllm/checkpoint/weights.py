"""The names of the weights: from an index, from the shards' headers, or from both."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..finding import Finding
from .folder import Folder, is_plain
from .json_data import BadCheckpoint, decoded, parse_object
from .tensor import Tensor, read_header

INDEX = ".index.json"
PREFERRED = ("model.safetensors.index.json", "consolidated.safetensors.index.json", "pytorch_model.bin.index.json")


@dataclass
class Weights:
    """Attributes:
    shard_of: key → name of its shard, in the order of the index.
    tensors: key → dtype and shape, for the shards that are there; empty without weights.
    source: the file that names the keys, or None.
    findings: what is wrong with the files themselves.
    """

    shard_of: dict[str, str] = field(default_factory=dict)
    tensors: dict[str, Tensor] = field(default_factory=dict)
    source: str | None = None
    findings: list[Finding] = field(default_factory=list)


def read_weights(folder: Folder, names: list[str]) -> Weights:
    """Return the weights that the folder names.

    An index that cannot be read is a finding, and the headers are taken instead. Pickled weights are never opened.
    """
    weights = Weights()
    index = _choose_index(names)
    if index:
        weights.source = index
        _read_index(folder, index, weights)
    shards = [name for name in names if name.endswith(".safetensors")]
    _read_headers(folder, shards, weights)
    if not index:
        weights.source = shards[0] if shards else None
        weights.shard_of = dict.fromkeys(weights.tensors, weights.source or "")
    elif weights.tensors:
        _compare(folder, weights)
    return weights


def _choose_index(names: list[str]) -> str | None:
    found = [name for name in names if name.endswith(INDEX)]
    return next((name for name in PREFERRED if name in found), found[0] if found else None)


def _read_index(folder: Folder, name: str, weights: Weights) -> None:
    try:
        if folder.path(name) is None:
            raise BadCheckpoint("not a regular file of this folder", where=name)
        # An index may take 50 MB: no name holds its bytes while the objects are made of its text.
        mapping = parse_object(decoded(folder.read(name) or b"", name), name).get("weight_map")
        if not isinstance(mapping, dict):
            raise BadCheckpoint("has no object `weight_map`", where=name)
    except BadCheckpoint as error:
        weights.findings.append(_broken(name, error))
        return
    bad = [key for key, shard in mapping.items() if not is_plain(shard)]
    for key in bad:
        shard = mapping.pop(key)
        if len(weights.findings) < 20:
            weights.findings.append(_outside(name, key, shard))
    weights.shard_of = mapping


def _broken(name: str, error: BadCheckpoint) -> Finding:
    return Finding("C01", "error", name, error.what, name, next=error.next or "fetch the file again")


def _outside(name: str, key: str, shard: object) -> Finding:
    return Finding(
        "C02",
        "error",
        key,
        f"its shard {shard!r:.120} is no plain file name; it was not opened",
        name,
        next="repair weight_map",
    )


def _read_headers(folder: Folder, shards: list[str], weights: Weights) -> None:
    for name in shards:
        path = folder.path(name)
        if path is None:
            why = "a link out of the checkpoint" if folder.leads_out(name) else "no regular file"
            weights.findings.append(Finding("C02", "error", name, f"{why}; it was not opened", name))
            continue
        try:
            weights.tensors.update(read_header(path))
        except BadCheckpoint as error:
            weights.findings.append(_broken(name, error))


def _compare(folder: Folder, weights: Weights) -> None:
    there = {shard for shard in set(weights.shard_of.values()) if folder.path(shard)}
    absent = [k for k, s in weights.shard_of.items() if s in there and k not in weights.tensors]
    extra = [k for k in weights.tensors if k not in weights.shard_of]
    for keys, message in ((absent, "in the index but in no shard"), (extra, "in a shard but not in the index")):
        if keys:
            weights.findings.append(
                Finding(
                    "C03", "error", keys[0], f"{len(keys)} keys are {message}", weights.source, next="save it again"
                )
            )
