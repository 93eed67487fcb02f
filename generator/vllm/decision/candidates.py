"""Which existing class is built like the checkpoint: by the modules that the keys name and the parts of the config."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

from generator.survey.vllm_model import find_module
from generator.survey.vllm_registry import Entry
from generator.survey.vllm_tree import SourceTree

from ..analysis.analysis import Analysis
from ..keys.groups import TOWERS
from ..keys.scales import PARTNERS
from ..keys.vocabulary import COMPUTED, PARAMETERS
from .checkouts import Checkouts

MARKS = {
    "MLA": (b"kv_lora_rank",),
    "experts": (b"FusedMoE", b"fused_moe"),
    "sliding": (b"sliding_window",),
    "gated delta": (b"GatedDeltaNet", b"gated_delta"),
    "SSM": (b"MambaMixer", b"mamba_mixer"),
    "short convolution": (b"ShortConv",),
    "linear": (b"linear_attn", b"LinearAttention"),
    "multimodal": (b"SupportsMultiModal",),
}
DECISIVE = ("MLA", "experts", "gated delta", "SSM", "short convolution", "multimodal")
SIBLING = re.compile(rb"^from (?:\.|vllm\.model_executor\.models\.)(\w+) import", re.M)
CONTAINERS = {
    "layers",
    "h",
    "blocks",
    "experts",
    "model",
    "transformer",
    "backbone",
    "language_model",
    "self_attn",
    "mlp",
    "attn",
    "attention",
    "block_sparse_moe",
    "feed_forward",
    "ffn",
    "decoder",
    "mixer",
}


@dataclass
class Candidate:
    """Attributes:
    covered: share of the checkpoint's module names that the file (and the siblings it imports) mentions;
    without keys, of the configuration's fields.
    missing: those that it does not mention.
    differs: parts that only one of the two has.
    likeness: of the names, 0 to 1.
    """

    entry: Entry
    path: str
    covered: float
    missing: list[str]
    differs: list[str]
    likeness: float

    @property
    def score(self) -> float:
        """Higher is closer."""
        return self.covered + 0.5 * self.likeness - 0.3 * len(self.differs)


def candidates(analysis: Analysis, checkouts: Checkouts) -> list[Candidate]:
    """Return the registered generative classes, the closest first; one for each class."""
    if checkouts.registry is None or checkouts.vllm is None:
        return []
    modules, parts = module_names(analysis) or _field_names(analysis), _parts(analysis)
    seen: dict[tuple[str, str], Candidate] = {}
    for entry in checkouts.registry.entries:
        generative = "TEXT_GENERATION" in entry.table or "MULTIMODAL" in entry.table
        if not generative or "transformers" in entry.module:
            continue
        path = find_module(checkouts.vllm, entry.module)
        if path:
            candidate = _candidate(entry, path, analysis, checkouts.vllm, modules, parts)
            known = seen.get((entry.module, entry.cls))
            # A class is best known by the key that is its own name.
            if known is None or candidate.score > known.score or entry.arch == entry.cls:
                seen[entry.module, entry.cls] = candidate
    return sorted(seen.values(), key=lambda c: -c.score)


def module_names(analysis: Analysis) -> list[str]:
    """Return the module and parameter names of the language model's layers."""
    found: dict[str, None] = {}
    for group in analysis.groups.groups:
        words = [w for w in group.pattern.split(".") if w != "*"]
        if group.main_stack and TOWERS.isdisjoint(words) and words[-1] not in COMPUTED:
            leaf = words[-1] in PARAMETERS or words[-1] in PARTNERS
            found.update(dict.fromkeys(w for w in (words[-2:-1] if leaf else words[-1:]) if w not in CONTAINERS))
    return list(found)


def _field_names(analysis: Analysis) -> list[str]:
    """Return the fields that describe layers: numbers and switches of the language model."""
    text = analysis.config.text
    return [name for name, value in text.items() if type(value) in (int, float, bool) and not name.endswith("token_id")]


def _parts(analysis: Analysis) -> set[str]:
    kinds = set(analysis.attention.kinds)
    found = {name for name in ("MLA", "gated delta", "SSM", "short convolution", "sliding") if name in kinds}
    found |= {"linear"} if kinds & {"linear", "KDA", "lightning"} else set()
    found |= {"experts"} if analysis.moe else set()
    return found | ({"multimodal"} if analysis.multimodal else set())


def _candidate(entry: Entry, path: str, analysis: Analysis, tree: SourceTree, modules, parts) -> Candidate:
    data = _with_siblings(tree, path)
    missing = [name for name in modules if name.encode() not in data]
    own = tree.read(path) or b""
    has = {
        name for name, marks in MARKS.items() if any(mark in (own if name == "multimodal" else data) for mark in marks)
    }
    differs = sorted(name for name in DECISIVE if (name in has) != (name in parts))
    covered = 1 - len(missing) / len(modules) if modules else 0.0
    return Candidate(entry, path, covered, missing, differs, _likeness(entry, analysis))


def _with_siblings(tree: SourceTree, path: str) -> bytes:
    key = ("with siblings", path)
    if key not in tree.derived:
        own = tree.read(path) or b""
        names = {m.decode() for m in SIBLING.findall(own)} - {"interfaces", "utils", "interfaces_base", "registry"}
        folder = path.rpartition("/")[0]
        tree.derived[key] = b"\n".join([own, *(tree.read(f"{folder}/{n}.py") or b"" for n in sorted(names))])
    return tree.derived[key]


def _likeness(entry: Entry, analysis: Analysis) -> float:
    module, model_type = entry.module.rpartition(".")[2], analysis.text_model_type
    if model_type and plain(model_type) == plain(module):
        return 1.0
    stem = plain(analysis.architecture.split("For")[0])
    return difflib.SequenceMatcher(None, stem, plain(entry.arch.split("For")[0])).ratio() if stem else 0.0


def plain(name: str) -> str:
    """Return a name without case and punctuation."""
    return re.sub(r"[^a-z0-9]", "", name.lower())
