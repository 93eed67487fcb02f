"""V15: only files of this model were touched."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .rule import Case, Finding, ModelRule, Subject, register
from .v11_config import _REGISTRY

SHARED = re.compile(
    r"^(vllm/model_executor/models/(registry|config)\.py|vllm/transformers_utils/.*|"
    r"vllm/config/(model|speculative)\.py|"
    r"tests/models/.*|docs/models/.*|examples/.*|vllm_ascend/models/.*|vllm_ascend/quantization/modelslim_config\.py|"
    r"vllm_ascend/patch/.*|tests/e2e/models/.*|tests/ut/.*|docs/source/.*|docs/hooks/nav_titles\.py|mkdocs\.yml|"
    r"\.github/workflows/configs/.*|\.scaffold/.*)$"
)


@register
class Scope(ModelRule):
    """A change for one model touches its own files and the lists that every model is in. Anything else belongs into a
    pull request of its own. Asked only while the model itself is being worked on.
    """

    id = "V15"
    title = "only files of this model were touched"
    severity = "warning"
    wants = ("git",)
    VALID = (Case("a list", {**_REGISTRY, "HEAD vllm-ascend:mkdocs.yml": "a\n", "vllm-ascend:mkdocs.yml": "b\n"}),)
    INVALID = (
        Case(
            "the scheduler",
            {
                **{f"HEAD {k}": v + "\n" for k, v in _REGISTRY.items()},
                **_REGISTRY,
                "HEAD vllm-ascend:vllm_ascend/core.py": "a\n",
                "vllm-ascend:vllm_ascend/core.py": "b\n",
            },
            ("warning vllm-ascend/vllm_ascend/core.py:1",),
        ),
    )

    def find(self, subject: Subject) -> Iterator[Finding]:
        if not subject.own:
            return
        mine = {file.path for file, _ in subject.family[:1]}
        stem = {path.rpartition("/")[2].removesuffix(".py") for path in mine}
        for repo, history in subject.histories.items():
            for path in history.changed:
                if path not in mine and not SHARED.match(path) and not any(s in path for s in stem if len(s) > 3):
                    yield self.at(
                        repo,
                        path,
                        1,
                        path,
                        "is changed and belongs to no list of this model",
                        "take it out of this change",
                    )
