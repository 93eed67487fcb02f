"""A checkpoint as it lies on disk: configuration, names of the weights, tokenizer, processor and remote code."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ..finding import Finding
from .folder import Folder, pointer
from .json_data import BadCheckpoint, decoded, parse_object
from .weights import Weights, read_weights

MODELSLIM = "quant_model_description.json"
TOKENIZERS = (
    "tokenizer.json",
    "tokenizer_config.json",
    "tokenizer.model",
    "tiktoken.model",
    "vocab.json",
    "tekken.json",
)
PROCESSORS = ("processor_config.json", "preprocessor_config.json", "video_preprocessor_config.json")
SMALL = 64 * 1024 * 1024


@dataclass
class Checkpoint:
    """Attributes:
    root: the resolved folder.
    config: `config.json`.
    modelslim: ModelSlim's quantisation description, or None.
    extra: the other small JSON files that were read, by file name.
    tokenizer, processor: names of the files that are there.
    remote_code: names of the Python files beside the configuration; never imported.
    files: every name at the top level.
    """

    root: Path
    config: dict
    weights: Weights
    modelslim: dict | None = None
    extra: dict[str, dict] = field(default_factory=dict)
    tokenizer: list[str] = field(default_factory=list)
    processor: list[str] = field(default_factory=list)
    remote_code: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def read_checkpoint(root: Path) -> Checkpoint:
    """Return the checkpoint in the folder `root`; weights need not be there.

    Raises:
        BadCheckpoint: no folder, or no `config.json` that is a JSON object.
    """
    folder = Folder.open(root)
    names = folder.names()
    weights = read_weights(folder, names)
    found = Checkpoint(folder.root, read_config(folder), weights, files=names, findings=list(weights.findings))
    found.remote_code = [name for name in names if name.endswith(".py")]
    found.tokenizer = [name for name in names if name in TOKENIZERS and _real(folder, name, found)]
    found.processor = [name for name in names if name in PROCESSORS and _real(folder, name, found)]
    found.modelslim = _optional(folder, _modelslim_name(names), found)
    for name in ("hf_quant_config.json", "tokenizer_config.json", "generation_config.json", *PROCESSORS):
        value = _optional(folder, name if name in names else None, found)
        if value is not None:
            found.extra[name] = value
    return found


def read_config(folder: Folder) -> dict:
    """Return `config.json` of the folder.

    Raises:
        BadCheckpoint: it is not there, is a pointer, leads out of the folder, or is no JSON object.
    """
    data = folder.read("config.json", SMALL)
    if data is None:
        what = "is a link out of the checkpoint" if folder.leads_out("config.json") else "there is no config.json"
        raise BadCheckpoint(what, where=str(folder.root), next="give the folder that holds config.json")
    if kind := pointer(data):
        raise BadCheckpoint(f"config.json is a {kind} pointer", where=str(folder.root), next="fetch the real file")
    return parse_object(decoded(data, "config.json"), "config.json")


def _modelslim_name(names: list[str]) -> str | None:
    return (
        MODELSLIM if MODELSLIM in names else next((n for n in names if n.startswith("quant_model_description")), None)
    )


def _optional(folder: Folder, name: str | None, found: Checkpoint) -> dict | None:
    if name is None:
        return None
    try:
        data = folder.read(name)
        return parse_object(decoded(data, name), name) if data is not None and not pointer(data) else None
    except BadCheckpoint as error:
        found.findings.append(Finding("C01", "error", name, error.what, name, next=error.next))
        return None


def _real(folder: Folder, name: str, found: Checkpoint) -> bool:
    path = folder.path(name)
    if path is None:
        found.findings.append(
            Finding("C02", "warning", name, "no regular file of this folder; it was not opened", name)
        )
        return False
    with path.open("rb") as file:
        kind = pointer(file.read(128))
    if kind:
        found.findings.append(Finding("C01", "error", name, f"a {kind} pointer", name, next="fetch the real file"))
    return True
