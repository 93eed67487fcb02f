"""V17: the Chinese reports are Chinese and have every heading."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .rule import Case, Finding, ModelRule, Subject, register
from .v11_config import _REGISTRY

REPORTS = ".scaffold/vllm-model-*-ascend/analysis.zh.md"
RUNBOOK = ".scaffold/vllm-model-*-ascend/runbook.zh.md"
HEADINGS = (
    "架构摘要",
    "不兼容根因",
    "代码改动与理由",
    "启动与推理证据",
    "特性状态矩阵",
    "最大长度",
    "dummy-vs-real",
    "false-ready",
    "回退阶梯",
)
CHINESE = re.compile(r"[\u4e00-\u9fff]")
_PATH = "vllm-ascend:.scaffold/vllm-model-MyForCausalLM-ascend/analysis.zh.md"
_GOOD = "".join(f"## {heading}\n\n" for heading in HEADINGS)
_AT = "error vllm-ascend/.scaffold/vllm-model-MyForCausalLM-ascend/analysis.zh.md:1"


@register
class Reports(ModelRule):
    """The handoff is read in Chinese, by people who look for fixed headings."""

    id = "V17"
    title = "the Chinese reports are Chinese and have every heading"
    wants = ("ascend",)
    VALID = (Case("complete", {**_REGISTRY, _PATH: _GOOD}), Case("no report", _REGISTRY))
    INVALID = (
        Case(
            "a heading is missing",
            {**_REGISTRY, _PATH: _GOOD.replace("特性状态矩阵", "状态")},
            (_AT,),
            ("特性状态矩阵",),
        ),
        Case("English", {**_REGISTRY, _PATH: "# Report\n"}, (_AT, _AT), ("no Chinese",)),
    )

    def find(self, subject: Subject) -> Iterator[Finding]:
        for found in filter(None, map(subject.artefact, (REPORTS, RUNBOOK))):
            path, text = found
            if not CHINESE.search(text):
                yield self.at("vllm-ascend", path, 1, path, "has no Chinese text", "write it in Chinese")
        report = subject.artefact(REPORTS)
        missing = [heading for heading in HEADINGS if report and heading not in report[1]]
        if missing:
            yield self.at("vllm-ascend", report[0], 1, report[0], f"has no heading {', '.join(missing)}", "add it")
