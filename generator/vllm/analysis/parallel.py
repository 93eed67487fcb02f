"""Which tensor parallel sizes the shapes allow, without weights.

Rules: `QKVParallelLinear` replicates key-value heads when there are fewer of them than ranks; `RowParallelLinear` and
`ColumnParallelLinear` divide exactly; block-quantised shards must hold whole blocks.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .fields import Config
from .heads import Heads
from .moe import Moe
from .qk_norm import QkNorm
from .quantization import Quantization

SIZES = (1, 2, 4, 8, 16)


@dataclass
class Split:
    """One tensor parallel size.

    Attributes:
        replicas: how many ranks share one key-value head, 1 without replication.
        problems: why this size does not work; empty if it does.
        notes: what to look at.
    """

    size: int
    kv_heads: int
    replicas: int
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def as_json(self) -> dict:
        """Return the documented object."""
        return {
            "tp": self.size,
            "ok": not self.problems,
            "kv_heads_per_rank": self.kv_heads,
            "kv_replicas": self.replicas,
            "problems": self.problems,
            "notes": self.notes,
        }


def splits(
    config: Config, heads: Heads, moe: Moe | None, norm: QkNorm | None, quant: Quantization | None, mla: bool
) -> list[Split]:
    """Return one answer for each of 1, 2, 4, 8 and 16 ranks."""
    return [_split(size, config, heads, moe, norm, quant, mla) for size in SIZES]


def _split(size, config, heads, moe, norm, quant, mla) -> Split:
    kv = heads.kv_heads
    answer = Split(size, max(1, kv // size) if kv else 0, max(1, size // kv) if kv and not mla else 1)
    if heads.heads % size:
        answer.problems.append(f"{heads.heads} attention heads do not divide by {size}")
    if kv and not mla:
        _key_values(answer, kv, norm)
    _widths(answer, config, moe, quant)
    if moe and moe.experts % size:
        answer.notes.append(f"expert parallel: {moe.experts} experts spread unevenly over {size} ranks")
    return answer


def _key_values(answer: Split, kv: int, norm: QkNorm | None) -> None:
    size = answer.size
    if kv >= size and kv % size:
        answer.problems.append(f"{kv} key-value heads do not divide by {size}")
    if kv < size:
        fits = size % kv == 0
        (answer.notes if fits else answer.problems).append(
            f"each key-value head is replicated on {size // kv} ranks"
            if fits
            else f"{size} ranks are no multiple of {kv} key-value heads"
        )
    if norm and norm.width == "unknown" and kv < size:
        answer.notes.append("no header says how wide the qk norm is: one over all heads would be cut here")
    if norm and norm.width == "full" and size > 1:
        if kv < size:
            answer.problems.append(
                f"the key norm spans {norm.size} elements of {kv} heads: {norm.size} / {size} cuts heads; "
                "it has to be sharded by heads and replicated with them"
            )
        else:
            answer.notes.append("the qk norm spans all heads: it needs a tensor parallel norm")


def _widths(answer: Split, config: Config, moe: Moe | None, quant: Quantization | None) -> None:
    names = (("intermediate_size", "ffn_hidden_size", "n_inner"), ("moe_intermediate_size",))
    for name in names if moe else names[:1]:
        width = config.integer(*name)
        if not width or width.value <= 0:
            continue
        if width.value % answer.size:
            answer.problems.append(f"{width.path} {width.value} does not divide by {answer.size}")
        elif quant and quant.block and width.value // answer.size % quant.block[0] and answer.size > 1:
            answer.problems.append(
                f"{width.path} {width.value} / {answer.size} is no multiple of the block of {quant.block[0]}"
            )
