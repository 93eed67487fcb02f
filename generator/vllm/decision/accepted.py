"""Does this vllm-ascend take the checkpoint's quantisation? (rule V06)"""

from __future__ import annotations

from ..analysis.analysis import Analysis
from ..finding import Finding
from .checkouts import Checkouts


def accepted(analysis: Analysis, checkouts: Checkouts) -> list[Finding]:
    """Return a finding if its platform's list of methods does not name the checkpoint's."""
    quantization, methods = analysis.quantization, checkouts.added.methods
    if quantization is None or not methods or quantization.method in methods:
        return []
    message = f"{quantization.method} is no method that this vllm-ascend accepts ({', '.join(sorted(methods))})"
    return [
        Finding(
            "V06",
            "warning",
            quantization.says[0],
            message,
            "vllm_ascend/platform.py",
            repo="vllm-ascend",
            next="dequantise to bf16 at load, or quantise with ModelSlim",
        )
    ]
