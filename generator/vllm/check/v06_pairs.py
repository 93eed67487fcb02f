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
        yield from self.answers(subject.analysis.findings)
        quantization, methods = subject.analysis.quantization, subject.checkouts.added.methods
        if quantization and methods and quantization.method not in methods:
            yield self.at(
                "vllm-ascend",
                "vllm_ascend/platform.py",
                1,
                quantization.method,
                f"is no method that this vllm-ascend accepts ({', '.join(sorted(methods))})",
                "dequantise to bf16 at load, or quantise with ModelSlim",
                severity="warning",
            )
