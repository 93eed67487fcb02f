"""One thing that somebody should look at, with the place that says so."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Finding:
    """An answer of the analysis or of a `V` rule; the keys are those of `check`'s JSON.

    Attributes:
        rule: `V01` … `V17`, or `C01` … for the checkpoint's own files.
        severity: `error`, `warning` or `note`.
        path: relative to `repo`, or None.
        repo: `checkpoint`, `vllm` or `vllm-ascend`.
        subject: the key, field or file that it is about.
        next: what to do, an imperative sentence, or None.
    """

    rule: str
    severity: str
    subject: str
    message: str
    path: str | None = None
    line: int | None = None
    repo: str = "checkpoint"
    next: str | None = None

    def as_json(self) -> dict:
        """Return the finding as the documented JSON object."""
        return {**asdict(self), "other": None}


SEVERITIES = ("error", "warning", "note")


def by_weight(findings: list[Finding]) -> list[Finding]:
    """Return the findings, errors first, in a steady order, without repetitions."""
    return sorted(
        dict.fromkeys(findings), key=lambda f: (SEVERITIES.index(f.severity), f.rule, f.path or "", f.subject)
    )
