"""V02: the registry was only added to."""

from __future__ import annotations

from collections.abc import Iterator

from .history import removed_lines
from .rule import Case, Finding, ModelRule, Subject, register
from .subject import PATHS

_REGISTRY = "vllm:vllm/model_executor/models/registry.py"
_BEFORE = '_TEXT_GENERATION_MODELS = {\n    "A": ("a", "A"),\n    "MyForCausalLM": ("my", "MyForCausalLM"),\n}\n'
_MORE = _BEFORE.replace('    "A"', '    "New": ("n", "New"),\n    "A"')
_LESS = _BEFORE.replace('    "A": ("a", "A"),\n', "")


@register
class InsertOnly(ModelRule):
    """Registries are edited by many people at once: a line that is moved, sorted or reformatted conflicts with all of
    them. What was committed must still be there, in its order, and the file must be Python. (A case's `HEAD` files are
    committed first.)
    """

    id = "V02"
    title = "registries were only added to"
    wants = ("git",)
    VALID = (Case("a line more", {f"HEAD {_REGISTRY}": _BEFORE, _REGISTRY: _MORE}),)
    INVALID = (
        Case(
            "a line less",
            {f"HEAD {_REGISTRY}": _BEFORE, _REGISTRY: _LESS},
            ("error vllm/vllm/model_executor/models/registry.py:2",),
        ),
        Case(
            "no Python",
            {f"HEAD {_REGISTRY}": _BEFORE, _REGISTRY: _BEFORE + "}\n"},
            ("error vllm/vllm/model_executor/models/registry.py:5",),
        ),
    )

    def find(self, subject: Subject) -> Iterator[Finding]:
        for repo, history in subject.histories.items():
            for path in set(PATHS) & set(history.changed):
                before, after = history.before(path), history.after(path)
                if before is None or after is None:
                    continue
                for line, text in removed_lines(before, after)[:5]:
                    yield self.at(
                        repo,
                        path,
                        line,
                        text.strip()[:80],
                        "was in the file and is not there any more",
                        "put the line back where it was",
                    )
                yield from self._compiles(repo, path, after)

    def _compiles(self, repo: str, path: str, data: bytes) -> Iterator[Finding]:
        try:
            compile(data, path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            yield self.at(
                repo, path, getattr(error, "lineno", None) or 1, path, f"is not Python: {error}", "correct it"
            )
