"""V12: the tutorial has every section, in order, with a command to serve and one to ask."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .rule import Case, Finding, ModelRule, Subject, register
from .tutorial import NEEDED, SAME, commands, sections, tutorial
from .v11_config import _REGISTRY

_PATH = "vllm-ascend:docs/source/tutorials/models/MyForCausalLM.md"
_TITLES = (
    "Introduction",
    "Supported Features",
    "Prerequisites",
    "Installation",
    "Online Service Deployment",
    "Functional Verification",
    "Accuracy Evaluation",
    "Performance Evaluation",
)
_GOOD = (
    "# My\n\n"
    + "".join(f"## {i} {title}\n\n" for i, title in enumerate(_TITLES, 1))
    + ("```bash\nvllm serve org/My\ncurl http://localhost:8000/v1/models\n```\n")
)
_AT = "error vllm-ascend/docs/source/tutorials/models/MyForCausalLM.md:"
PLACEHOLDER = re.compile(r"\b(TODO|TBD|FIXME|XXX)\b|<(?:your|model)[-_ ][^>]*>", re.I)


@register
class Tutorial(ModelRule):
    """A reader follows the tutorial line by line. Both generations of section names count: numbered or not, Environment
    Preparation or Prerequisites and Installation.
    """

    id = "V12"
    title = "the tutorial has every section, in order"
    wants = ("ascend",)
    VALID = (Case("complete", {**_REGISTRY, _PATH: _GOOD}), Case("no tutorial", _REGISTRY))
    INVALID = (
        Case(
            "a section is missing",
            {**_REGISTRY, _PATH: _GOOD.replace("## 7 Accuracy Evaluation\n\n", "")},
            (f"{_AT}1",),
            ("accuracy evaluation",),
        ),
        Case("no command to serve", {**_REGISTRY, _PATH: _GOOD.replace("vllm serve", "vllm bench")}, (f"{_AT}1",)),
        Case("a placeholder", {**_REGISTRY, _PATH: _GOOD + "\naccuracy: TODO\n"}, (f"{_AT}24",), ("TODO",)),
        Case(
            "another generation's note",
            {**_REGISTRY, _PATH: _GOOD + "\n:::{note}\n", "vllm-ascend:mkdocs.yml": "nav: []\n"},
            (f"{_AT}24",),
            (":::",),
        ),
    )

    def find(self, subject: Subject) -> Iterator[Finding]:
        found = tutorial(subject)
        if found is None:
            return
        path, text = found
        names = [SAME.get(name, name) for name, _ in sections(text)]
        missing = [name for name in NEEDED if name not in names]
        if missing:
            yield self.at(
                "vllm-ascend", path, 1, path, f"has no section {', '.join(missing)}", "add it; see the template"
            )
        order = [name for name in dict.fromkeys(names) if name in NEEDED]
        if order != [name for name in NEEDED if name in order]:
            yield self.at(
                "vllm-ascend",
                path,
                1,
                path,
                f"its sections are in another order: {', '.join(order)}",
                "put them in the template's order",
                severity="warning",
            )
        for word in ("vllm serve", "curl"):
            if not commands(text, word):
                yield self.at("vllm-ascend", path, 1, path, f"has no block with {word}", "add one")
        yield from self._lines(path, text, subject)

    def _lines(self, path: str, text: str, subject: Subject) -> Iterator[Finding]:
        mkdocs = subject.checkouts.ascend.read("mkdocs.yml") is not None
        for number, line in enumerate(text.splitlines(), 1):
            found = PLACEHOLDER.search(line)
            if found:
                yield self.at("vllm-ascend", path, number, found[0][:60], "is a placeholder", "put the real text there")
            if mkdocs and line.lstrip().startswith(":::"):
                yield self.at(
                    "vllm-ascend",
                    path,
                    number,
                    line.strip()[:60],
                    ":::{…} is Sphinx; this checkout uses mkdocs",
                    'write !!! note or === "A2 series"',
                )
