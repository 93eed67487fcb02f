"""V16: the commands of the tutorial and the runbook can be run as they stand."""

from __future__ import annotations

from collections.abc import Iterator

from .rule import Case, Finding, ModelRule, Subject, register
from .tutorial import commands, tutorial
from .v11_config import _REGISTRY

RUNBOOKS = (".scaffold/vllm-model-*-ascend/runbook.md", ".scaffold/vllm-model-*-ascend/runbook.zh.md")
_PATH = "vllm-ascend:.scaffold/vllm-model-MyForCausalLM-ascend/runbook.md"
_AT = "error vllm-ascend/.scaffold/vllm-model-MyForCausalLM-ascend/runbook.md:"
_GOOD = "```bash\ncd /workspace\nvllm serve /models/My --port 8000\n```\n"


@register
class Commands(ModelRule):
    """The runbook is what the next person types: plain `vllm serve` in `/workspace` on port 8000, no `PYTHONPATH`, no
    dummy weights, expert parallelism only for experts; eager mode only in a section about fallbacks.
    """

    id = "V16"
    title = "the runbook's commands can be run as they stand"
    wants = ("ascend",)
    VALID = (Case("plain", {**_REGISTRY, _PATH: _GOOD}), Case("no runbook", _REGISTRY))
    INVALID = (
        Case("PYTHONPATH", {**_REGISTRY, _PATH: _GOOD.replace("vllm serve", "PYTHONPATH=. vllm serve")}, (f"{_AT}3",)),
        Case(
            "dummy weights",
            {**_REGISTRY, _PATH: _GOOD.replace("--port 8000", "--port 8000 --load-format dummy")},
            (f"{_AT}3",),
        ),
        Case("elsewhere", {**_REGISTRY, _PATH: _GOOD.replace("cd /workspace\n", "")}, (f"{_AT}1",), ("/workspace",)),
        Case(
            "eager by default",
            {**_REGISTRY, _PATH: _GOOD.replace("--port 8000", "--port 8000 --enforce-eager")},
            (f"{_AT}3",),
        ),
    )

    def find(self, subject: Subject) -> Iterator[Finding]:
        for pattern in RUNBOOKS:
            found = subject.artefact(pattern)
            if found:
                yield from self._runbook(*found)
        for found in filter(None, [tutorial(subject), *map(subject.artefact, RUNBOOKS)]):
            yield from self._experts(*found, subject)

    def _runbook(self, path: str, text: str) -> Iterator[Finding]:
        serve = commands(text, "vllm serve") + [c for c in commands(text, "PYTHONPATH") if "vllm serve" in c[1]]
        if serve and "cd /workspace" not in text:
            yield self.at("vllm-ascend", path, 1, path, "does not start in /workspace", "put cd /workspace first")
        fallback = min(
            (
                n
                for n, line in enumerate(text.splitlines(), 1)
                if line.startswith("#") and ("allback" in line or "回退" in line)
            ),
            default=10**9,
        )
        for line, command in serve:
            for bad, why in (
                ("PYTHONPATH=", "the packages must be the installed ones"),
                ("--load-format dummy", "dummy weights prove nothing"),
            ):
                if bad in command:
                    yield self.at("vllm-ascend", path, line, bad, f"in the command: {why}", f"leave {bad} out")
            if "--enforce-eager" in command and line < fallback:
                yield self.at(
                    "vllm-ascend", path, line, "--enforce-eager", "in the default command", "keep it for the fallbacks"
                )

    def _experts(self, path: str, text: str, subject: Subject) -> Iterator[Finding]:
        if subject.analysis is None or subject.analysis.moe:
            return
        for line, command in commands(text, "vllm serve"):
            if "--enable-expert-parallel" in command:
                yield self.at(
                    "vllm-ascend", path, line, "--enable-expert-parallel", "the model has no experts", "leave it out"
                )
