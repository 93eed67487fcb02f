"""V06: scales and weights pair up, and the way that an NPU takes is known."""

from __future__ import annotations

from collections.abc import Iterator

from .rule import Finding, ModelRule, Subject, register


@register
class Pairs(ModelRule):
    """An fp8 weight without its scale is loaded as numbers of the wrong size; a scale without a weight is a leftover of
    another layout. vllm-ascend accepts only some methods: one that it does not name has to be turned into bf16, or into
    ModelSlim's, before the model runs there.
    """

    id = "V06"
    title = "every scale has its weight, every quantised weight its scale"
    wants = ("checkpoint",)

    def find(self, subject: Subject) -> Iterator[Finding]:
        yield from self.answers([*subject.analysis.findings, *subject.decision.findings])
