"""V03: the tests have an example, and the table of supported models a row with the right ticks."""

from __future__ import annotations

from collections.abc import Iterator

from generator.survey.vllm_docs import read_docs
from generator.survey.vllm_tree import assigned, mapping

from ..register.docs import TICK
from ..register.place import TESTS
from .rule import Case, Finding, ModelRule, Subject, register

_REGISTRY = "vllm:vllm/model_executor/models/registry.py"
_MODEL = "vllm:vllm/model_executor/models/my.py"
_BASE = {
    _REGISTRY: '_TEXT_GENERATION_MODELS = {\n    "MyForCausalLM": ("my", "MyForCausalLM"),\n}\n',
    _MODEL: "class MyForCausalLM(nn.Module, SupportsPP):\n    pass\n",
}
_TESTS = "vllm:tests/models/registry.py"
_DOCS = "vllm:docs/models/supported_models.md"


def _page(arch: str, lora: str, pp: str) -> str:
    head = "| Architecture | Models | [LoRA](a) | [PP](b) |\n| --- | --- | --- | --- |\n"
    return head + f"| `{arch}` | My | {lora} | {pp} |\n"


@register
class Listed(ModelRule):
    """vLLM's CI asks for an example of every architecture, and users look for a row in the tables. Its ticks are those
    of the class: LoRA if it inherits `SupportsLoRA`, PP if `SupportsPP`. A checkout without these files is let pass.
    """

    id = "V03"
    title = "the tests have an example, and the tables a row with the right ticks"
    severity = "warning"
    wants = ("vllm",)
    VALID = (
        Case(
            "both there",
            {
                **_BASE,
                _TESTS: '_TEXT_GENERATION_EXAMPLE_MODELS = {"MyForCausalLM": 1}\n',
                _DOCS: _page("MyForCausalLM", "", TICK),
            },
        ),
        Case("no such files", _BASE),
    )
    INVALID = (
        Case(
            "no example",
            {**_BASE, _TESTS: '_TEXT_GENERATION_EXAMPLE_MODELS = {"A": 1}\n'},
            ("error vllm/tests/models/registry.py:1",),
        ),
        Case("no row", {**_BASE, _DOCS: _page("A", "", "")}, ("warning vllm/docs/models/supported_models.md:1",)),
        Case(
            "wrong ticks",
            {**_BASE, _DOCS: _page("MyForCausalLM", TICK, TICK)},
            ("warning vllm/docs/models/supported_models.md:3",),
            ("LoRA",),
        ),
    )

    def find(self, subject: Subject) -> Iterator[Finding]:
        if subject.entries:
            yield from self._example(subject)
        # Draft models are chosen by the model they draft for, so no table lists them.
        if any("SPECULATIVE" not in entry.table for entry in subject.entries):
            yield from self._row(subject)

    def _example(self, subject: Subject) -> Iterator[Finding]:
        module = subject.checkouts.vllm.parse(TESTS)
        names = (
            [n.targets[0].id for n in module.body if hasattr(n, "targets") and hasattr(n.targets[0], "id")]
            if module
            else []
        )
        examples = [name for name in names if name.endswith("EXAMPLE_MODELS")]
        if examples and not any(subject.arch in mapping(assigned(module, name)) for name in examples):
            yield self.at(
                "vllm",
                TESTS,
                1,
                subject.arch,
                "has no example for the tests",
                "add one with vllm-register",
                severity="error",
            )

    def _row(self, subject: Subject) -> Iterator[Finding]:
        tables = read_docs(subject.checkouts.vllm)
        table = next((t for t in tables if t.row_of(subject.arch) is not None), None)
        if tables and table is None:
            yield self.at(
                "vllm",
                tables[0].path,
                1,
                subject.arch,
                "is in no table of supported models",
                "add a row with vllm-register",
            )
        elif table and subject.model:
            yield from self._ticks(subject, table)

    def _ticks(self, subject: Subject, table) -> Iterator[Finding]:
        line = table.line + 2 + table.row_of(subject.arch)
        text = subject.checkouts.vllm.read(table.path).decode("utf-8", "replace").splitlines()[line - 1]
        cells = dict(zip(table.header, (cell.strip() for cell in text.strip("|").split("|")), strict=False))
        bases = {base for _, cls in subject.family for base in cls.bases}
        for column, mixin in (("LoRA", "SupportsLoRA"), ("PP", "SupportsPP")):
            if column in cells and bool(cells[column]) != (mixin in bases):
                has = "inherits" if mixin in bases else "does not inherit"
                yield self.at(
                    "vllm",
                    table.path,
                    line,
                    subject.arch,
                    f"the {column} cell is {cells[column] or 'empty'}, but {subject.model[2].name} {has} {mixin}",
                    f"correct the {column} cell",
                )
