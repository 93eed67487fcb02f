"""All aspects of one checkpoint, put together."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..checkpoint.checkpoint import Checkpoint
from ..finding import Finding, by_weight
from ..keys.explain import Explained, explain
from ..keys.groups import Groups, group_keys
from ..keys.report import key_findings
from .attention import Attention, read_attention
from .disagree import disagreements
from .embeddings import read_tie
from .fields import Config
from .heads import read_heads
from .lengths import read_max_length
from .moe import Moe, read_moe
from .mtp import Mtp, read_mtp
from .multimodal import Multimodal, read_multimodal
from .parallel import Split, splits
from .qk_norm import QkNorm, read_qk_norm
from .quantised import quantised_findings
from .quantization import Quantization, read_quantization
from .remote import RemoteCode, read_remote
from .rope import Rope, read_rope


@dataclass
class Analysis:
    """What the checkpoint is, before any checkout is asked.

    Attributes:
        architecture: the first of `architectures`, or "".
        model_type: of the root; text_model_type: of the language model.
        tied: whether input and output embeddings are one tensor, None if unknown.
        says: aspect → the fields and keys that say so.
    """

    checkpoint: Checkpoint
    config: Config
    architecture: str
    architectures: list[str]
    model_type: str
    attention: Attention
    moe: Moe | None
    rope: Rope | None
    qk_norm: QkNorm | None
    quantization: Quantization | None
    multimodal: Multimodal | None
    mtp: Mtp | None
    tied: bool | None
    max_length: int | None
    groups: Groups
    explained: Explained
    splits: list[Split]
    remote: RemoteCode
    says: dict[str, list[str]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    @property
    def text_model_type(self) -> str:
        """The `model_type` of the language model."""
        value = self.config.text.get("model_type")
        return value if isinstance(value, str) else self.model_type

    @property
    def kind(self) -> str:
        """The kind of registration: `multimodal`, `embedding`, `reward`, `sequence-classification` … by its parts."""
        if self.multimodal:
            return "multimodal"
        endings = {
            "ForSequenceClassification": "sequence-classification",
            "ForTokenClassification": "token-classification",
            "RewardModel": "reward",
            "ForRetrieval": "late-interaction",
            "Model": "embedding",
        }
        return next((kind for end, kind in endings.items() if self.architecture.endswith(end)), "text-generation")


def analyse(checkpoint: Checkpoint) -> Analysis:
    """Return the analysis of a checkpoint; nothing of it is executed and no checkout is needed."""
    config = Config.of(checkpoint.config)
    names = _architectures(config)
    groups = group_keys(checkpoint.weights.shard_of)
    heads = read_heads(config)
    attention = read_attention(config, heads)
    moe, quantization = read_moe(config), read_quantization(config, checkpoint)
    multimodal, mtp = read_multimodal(config, checkpoint), read_mtp(config, groups)
    norm = read_qk_norm(config, heads, groups, checkpoint.weights.tensors, attention.mla)
    tied, tied_says = read_tie(config, groups, names[0] if names else "")
    length, length_says = read_max_length(config)
    result = Analysis(
        checkpoint,
        config,
        names[0] if names else "",
        names,
        _text(config.root.get("model_type")),
        attention,
        moe,
        read_rope(config),
        norm,
        quantization,
        multimodal,
        mtp,
        tied,
        length,
        groups,
        explain(groups, multimodal is not None),
        splits(config, heads, moe, norm, quantization, attention.mla),
        read_remote(config, checkpoint),
    )
    result.says = {"architecture": ["architectures"], "tied_embeddings": tied_says, "max_length": length_says}
    result.findings = by_weight(_findings(result))
    return result


def _findings(result: Analysis) -> list[Finding]:
    found = [*result.checkpoint.findings]
    found += disagreements(result.config, result.moe, result.mtp, result.groups)
    found += key_findings(result.groups, result.checkpoint.weights, result.quantization, result.checkpoint.modelslim)
    found += quantised_findings(result.config, result.quantization, result.groups)
    found += result.remote.findings + _split_findings(result)
    # Last: reading the other aspects adds to the configuration's own findings.
    return [*found, *result.config.findings]


def _split_findings(result: Analysis) -> list[Finding]:
    cut = [split for split in result.splits if any("key norm" in p for p in split.problems)]
    message = "; ".join(p for split in cut[:1] for p in split.problems if "key norm" in p)
    sizes = ", ".join(str(split.size) for split in cut)
    subject = result.qk_norm.says[-1] if result.qk_norm and result.qk_norm.says else "k_norm"
    return (
        [
            Finding(
                "V07",
                "error",
                subject,
                f"tensor parallel {sizes}: {message}",
                result.checkpoint.weights.source,
                next="shard the norm by heads in the adapter, as MiniMaxText01RMSNormTP does",
            )
        ]
        if cut
        else []
    )


def _architectures(config: Config) -> list[str]:
    value = config.root.get("architectures")
    names = [name for name in value if isinstance(name, str)] if isinstance(value, list) else []
    good = [name for name in names if name.isidentifier()]
    if not good or len(good) != len(value):
        config.findings.append(
            Finding(
                "C04",
                "warning",
                "architectures",
                "is no list of class names" if value else "is missing",
                "config.json",
                next='name the model class, for example ["Qwen3ForCausalLM"]',
            )
        )
    return good


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
