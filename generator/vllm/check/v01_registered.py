"""V01: the architecture is registered once, and its entry leads to a class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from generator.survey.vllm_model import find_class, find_module
from generator.survey.vllm_registry import PATH

from .rule import Case, Finding, ModelRule, Subject, register

_REGISTRY = "vllm:vllm/model_executor/models/registry.py"
_MODEL = "vllm:vllm/model_executor/models/my.py"


def _table(*lines: str, more: str = "") -> str:
    return (
        "_TEXT_GENERATION_MODELS = {\n    # [Decoder-only]\n"
        + "".join(f"    {line},\n" for line in lines)
        + "}\n"
        + more
    )


_ENTRY = '"MyForCausalLM": ("my", "MyForCausalLM")'
_CLASS = "class MyForCausalLM:\n    pass\n"


@register
class Registered(ModelRule):
    """A key that is there twice hides its first entry; one that leads nowhere fails only when the model is loaded; one
    that is also listed as dropped is never reached, because vLLM asks the registry first and the list would lie.
    """

    id = "V01"
    title = "the architecture is registered once, and its entry leads to a class"
    wants = ("vllm",)
    VALID = (Case("one entry, one class", {_REGISTRY: _table(_ENTRY), _MODEL: _CLASS}),)
    INVALID = (
        Case(
            "twice",
            {_REGISTRY: _table(_ENTRY, _ENTRY), _MODEL: _CLASS},
            ("error vllm/vllm/model_executor/models/registry.py:4",),
            ("twice",),
        ),
        Case(
            "no module", {_REGISTRY: _table(_ENTRY)}, ("error vllm/vllm/model_executor/models/registry.py:3",), ("my",)
        ),
        Case(
            "no class",
            {_REGISTRY: _table(_ENTRY), _MODEL: "class Other:\n    pass\n"},
            ("error vllm/vllm/model_executor/models/my.py:1",),
        ),
        Case(
            "also dropped",
            {
                _REGISTRY: _table(_ENTRY, more='_PREVIOUSLY_SUPPORTED_MODELS = {"MyForCausalLM": "0.1"}\n'),
                _MODEL: _CLASS,
            },
            ("error vllm/vllm/model_executor/models/registry.py:3",),
            ("_PREVIOUSLY_SUPPORTED_MODELS",),
        ),
    )

    def find(self, subject: Subject) -> Iterator[Finding]:
        if not subject.entries and subject.added is None:
            yield self.at("vllm", PATH, 1, subject.arch, "is in no dict of the registry", "run scaffold vllm-register")
        counts = Counter(entry.table for entry in subject.entries)
        for entry in subject.entries:
            yield from self._leads(subject, entry)
        for table, number in counts.items():
            if number > 1:
                last = [e for e in subject.entries if e.table == table][-1]
                yield self.at("vllm", PATH, last.line, subject.arch, f"is in {table} twice", "take one of them out")
        yield from self._dropped(subject)

    def _leads(self, subject: Subject, entry) -> Iterator[Finding]:
        tree = subject.checkouts.vllm
        path = find_module(tree, entry.module)
        if path is None:
            yield self.at(
                "vllm",
                PATH,
                entry.line,
                subject.arch,
                f"its module {entry.module} is not there",
                "write the module, or correct the entry",
            )
        elif find_class(tree, path, entry.cls) is None:
            yield self.at(
                "vllm",
                path,
                1,
                entry.cls,
                "is no class of the module that the registry names",
                "write the class, or correct the entry",
            )

    def _dropped(self, subject: Subject) -> Iterator[Finding]:
        registry = subject.checkouts.registry
        lists = {"_PREVIOUSLY_SUPPORTED_MODELS": registry.previous, "_OOT_SUPPORTED_MODELS": registry.elsewhere}
        for name, dropped in lists.items():
            if subject.entries and subject.arch in dropped:
                yield self.at(
                    "vllm",
                    PATH,
                    subject.entries[-1].line,
                    subject.arch,
                    f"is registered and in {name}",
                    f"take it out of {name}",
                )
