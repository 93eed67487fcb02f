"""V07: the shapes allow the tensor parallel sizes that matter."""

from __future__ import annotations

from collections.abc import Iterator

from .rule import Finding, ModelRule, Subject, register


@register
class Parallel(ModelRule):
    """Heads, widths, blocks and norms must divide by the number of ranks, or be replicated; a norm over all key-value
    heads that is cut by ranks gives wrong numbers and no error.
    """

    id = "V07"
    title = "the shapes allow tensor parallel 1 to 16"
    wants = ("checkpoint",)

    def find(self, subject: Subject) -> Iterator[Finding]:
        yield from self.answers(subject.analysis.findings)
        for split in subject.analysis.splits:
            for problem in split.problems:
                if "key norm" not in problem:
                    yield self.at(
                        "checkpoint",
                        "config.json",
                        1,
                        f"tensor parallel {split.size}",
                        problem,
                        "run it on fewer ranks",
                        severity="note",
                    )
