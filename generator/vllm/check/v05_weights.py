"""V05: every key of the checkpoint lands in the class."""

from __future__ import annotations

from collections.abc import Iterator

from .rule import Finding, ModelRule, Subject, register


@register
class Weights(ModelRule):
    """vLLM does not notice a Linear that got no weight, and many loaders pass over names that they do not know: the
    model then runs and talks nonsense. Every key must be explained, every part of a fused weight be there in every
    layer, and every prefix be one that the class, or its mapper, has.
    """

    id = "V05"
    title = "every key of the checkpoint lands in the class"
    wants = ("checkpoint",)

    def find(self, subject: Subject) -> Iterator[Finding]:
        yield from self.answers([*subject.analysis.findings, *subject.decision.findings])
        source = subject.analysis.checkpoint.weights.source or "config.json"
        for group in subject.analysis.explained.unexplained[:50]:
            yield self.at(
                "checkpoint",
                source,
                1,
                group.first,
                f"{group.count} keys of the pattern {group.pattern} are explained by nothing",
                "map them, or ignore them with a reason",
                severity="warning",
            )
