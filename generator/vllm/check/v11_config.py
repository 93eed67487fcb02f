"""V11: the accuracy configuration of vllm-ascend's tests is complete, and its numbers are numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator

from .rule import Case, Finding, ModelRule, Subject, register

PATTERN = "tests/e2e/models/configs/*.yaml"
KNOWN = {
    "model_name",
    "hardware",
    "model_type",
    "serve",
    "tasks",
    "num_fewshot",
    "apply_chat_template",
    "fewshot_as_multiturn",
    "batch_size",
    "limit",
    "system_prompt",
    "envs",
    "language",
    "task_type",
    "gen_kwargs",
}
MODALITIES = {"vllm": False, "vllm-vlm": True, "vllm-asr": True, "vllm-rm": False}
_PATH = "vllm-ascend:tests/e2e/models/configs/MyForCausalLM.yaml"
_REGISTRY = {
    "vllm-ascend:vllm_ascend/models/__init__.py": (
        "def register_model():\n"
        '    ModelRegistry.register_model("MyForCausalLM", "vllm_ascend.models.my:MyForCausalLM")\n'
    )
}
_GOOD = """model_name: "org/My"
hardware: "Atlas A2 Series"
tasks:
- name: "gsm8k"
  metrics:
  - name: "exact_match,strict-match"
    value: 0.7
num_fewshot: 5
"""
_LINE = "error vllm-ascend/tests/e2e/models/configs/MyForCausalLM.yaml:"


@register
class AccuracyConfig(ModelRule):
    """The test compares with the number in this file, within five percent: a placeholder lets everything pass or
    nothing. Keys that no reader knows are ignored silently. `num_fewshot` is asked for except for reward and speech
    models.
    """

    id = "V11"
    title = "the accuracy configuration is complete, and its numbers are numbers"
    wants = ("ascend",)
    VALID = (Case("complete", {**_REGISTRY, _PATH: _GOOD}), Case("no such file", _REGISTRY))
    INVALID = (
        Case("a placeholder", {**_REGISTRY, _PATH: _GOOD.replace("0.7", "TODO")}, (f"{_LINE}7",), ("TODO",)),
        Case("zero", {**_REGISTRY, _PATH: _GOOD.replace("0.7", "0.0")}, (f"{_LINE}7",)),
        Case("no metrics", {**_REGISTRY, _PATH: _GOOD.split("  metrics")[0] + "num_fewshot: 5\n"}, (f"{_LINE}3",)),
        Case("an unknown key", {**_REGISTRY, _PATH: _GOOD + "bach_size: 1\n"}, (f"{_LINE}9",), ("bach_size",)),
        Case("not YAML", {**_REGISTRY, _PATH: "a: [\n"}, (f"{_LINE}2",)),
    )

    def find(self, subject: Subject) -> Iterator[Finding]:
        found = subject.artefact(PATTERN)
        if found:
            yield from self._look(*found, subject)

    def _look(self, path: str, text: str, subject: Subject) -> Iterator[Finding]:
        import yaml

        try:
            config = yaml.safe_load(text)
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            mark = getattr(error, "problem_mark", None)
            yield self.at(
                "vllm-ascend",
                path,
                min(mark.line + 1, len(text.splitlines()) + 1) if mark else 1,
                path,
                "is not YAML",
                "correct it",
            )
            return
        if not isinstance(config, dict):
            yield self.at("vllm-ascend", path, 1, path, "is no mapping", "see its siblings")
            return
        yield from self._keys(path, text, config)
        yield from self._tasks(path, text, config)
        yield from self._modality(path, text, config, subject)

    def _keys(self, path: str, text: str, config: dict) -> Iterator[Finding]:
        for key in config:
            if key not in KNOWN:
                yield self.at(
                    "vllm-ascend", path, _line(text, str(key)), str(key)[:80], "is read by nobody", "correct its name"
                )
        wants = ["model_name", "hardware", "tasks"]
        wants += ["num_fewshot"] if config.get("model_type", "vllm") in ("vllm", "vllm-vlm") else []
        for key in wants:
            if config.get(key) in (None, "", []):
                yield self.at("vllm-ascend", path, 1, key, "is missing", "add it; see its siblings")

    def _tasks(self, path: str, text: str, config: dict) -> Iterator[Finding]:
        tasks = config.get("tasks")
        for task in tasks if isinstance(tasks, list) else ():
            metrics = task.get("metrics") if isinstance(task, dict) else None
            if not isinstance(metrics, list) or not metrics:
                yield self.at(
                    "vllm-ascend", path, _line(text, "tasks"), "tasks", "a task has no metrics", "add name and value"
                )
                continue
            for metric in metrics:
                yield from self._metric(path, text, metric)

    def _metric(self, path: str, text: str, metric: object) -> Iterator[Finding]:
        value = metric.get("value") if isinstance(metric, dict) else None
        number = type(value) in (int, float) and math.isfinite(value) and value != 0
        if not number or not metric.get("name"):
            yield self.at(
                "vllm-ascend",
                path,
                _line(text, f"value: {value}"),
                "value",
                f"{str(value)[:40]} is no measured number",
                "put the evaluation's result there",
            )

    def _modality(self, path: str, text: str, config: dict, subject: Subject) -> Iterator[Finding]:
        kind = config.get("model_type", "vllm")
        if kind not in MODALITIES:
            yield self.at(
                "vllm-ascend",
                path,
                _line(text, "model_type"),
                "model_type",
                f"{str(kind)[:40]} has no reader",
                f"one of {', '.join(MODALITIES)}",
            )
        elif subject.analysis and kind == "vllm" and subject.analysis.multimodal:
            yield self.at(
                "vllm-ascend",
                path,
                _line(text, "model_type"),
                "model_type",
                "is vllm, but the checkpoint takes " + ", ".join(subject.analysis.multimodal.modalities),
                "use vllm-vlm or vllm-asr",
                severity="warning",
            )


def _line(text: str, needle: str) -> int:
    found = (number for number, line in enumerate(text.splitlines(), 1) if needle in line)
    return next(found, 1)
