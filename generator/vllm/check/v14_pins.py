"""V14: the pinned transformers is as it was, and the checkpoint's needs are named."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .rule import Case, Finding, ModelRule, Subject, register
from .v11_config import _REGISTRY

FILES = re.compile(r"(^|/)(requirements[^/]*\.txt|pyproject\.toml|Dockerfile[^/]*|setup\.py)$|^requirements/")
PIN = re.compile(rb"transformers\s*[<>=!~]|pip install .*transformers")
_PATH = "vllm-ascend:requirements.txt"


@register
class Pins(ModelRule):
    """A newer transformers changes every other model. What the pinned one lacks is named with the checkpoint's
    findings; the pin stays. Seen against the last commit. (A case's `HEAD` files are committed first.)
    """

    id = "V14"
    title = "the pinned transformers is as it was"
    VALID = (
        Case("untouched", {**_REGISTRY, f"HEAD {_PATH}": "transformers==5.0\n", _PATH: "transformers==5.0\n"}),
        Case("another line", {**_REGISTRY, f"HEAD {_PATH}": "transformers==5.0\n", _PATH: "transformers==5.0\nx\n"}),
    )
    INVALID = (
        Case(
            "raised",
            {**_REGISTRY, f"HEAD {_PATH}": "a\ntransformers==5.0\n", _PATH: "a\ntransformers==6.0\n"},
            ("error vllm-ascend/requirements.txt:2",),
        ),
    )

    def find(self, subject: Subject) -> Iterator[Finding]:
        if subject.decision:
            yield from self.answers(subject.decision.findings)
        for repo, history in subject.histories.items():
            for path in history.changed:
                if FILES.search(path):
                    yield from self._compare(repo, path, history.before(path) or b"", history.after(path) or b"")

    def _compare(self, repo: str, path: str, before: bytes, after: bytes) -> Iterator[Finding]:
        old = {line.strip() for line in before.splitlines()}
        for number, line in enumerate(after.splitlines(), 1):
            if PIN.search(line) and line.strip() not in old:
                yield self.at(
                    repo,
                    path,
                    number,
                    "transformers",
                    line.decode("utf-8", "replace").strip()[:80] + " is new",
                    "put the old pin back",
                )
