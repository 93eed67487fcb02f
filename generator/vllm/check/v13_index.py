"""V13: the tutorial is in the live index, once, and has its titles."""

from __future__ import annotations

from collections.abc import Iterator

from .rule import Case, Finding, ModelRule, Subject, register
from .tutorial import tutorial
from .v11_config import _REGISTRY

NAV, TITLES = "mkdocs.yml", "docs/hooks/nav_titles.py"
TREES = ("docs/source/tutorials/models/index.md", "docs/source/tutorials/index.md")
_PAGE = {**_REGISTRY, "vllm-ascend:docs/source/tutorials/models/MyForCausalLM.md": "# My\n"}
_NAV = "vllm-ascend:mkdocs.yml"
_TITLES = {
    "vllm-ascend:docs/hooks/nav_titles.py": 'TITLES = {"tutorials/models/MyForCausalLM.md": {"en": "a", "zh": "b"}}\n'
}
_LINE = "        - tutorials/models/MyForCausalLM.md\n"


@register
class Index(ModelRule):
    """Upstream moved its index from a toctree to `mkdocs.yml` and `nav_titles.py`; a page that is in no index is built
    and found by nobody. The index that this checkout uses is the one that counts.
    """

    id = "V13"
    title = "the tutorial is in the live index, once"
    wants = ("ascend",)
    VALID = (
        Case("navigation and titles", {**_PAGE, **_TITLES, _NAV: "nav:\n" + _LINE}),
        Case(
            "toctree",
            {**_PAGE, "vllm-ascend:docs/source/tutorials/models/index.md": ":::{toctree}\nMyForCausalLM\n:::\n"},
        ),
    )
    INVALID = (
        Case("not in the navigation", {**_PAGE, **_TITLES, _NAV: "nav:\n"}, ("error vllm-ascend/mkdocs.yml:1",)),
        Case(
            "twice",
            {**_PAGE, **_TITLES, _NAV: "nav:\n" + _LINE + _LINE},
            ("error vllm-ascend/mkdocs.yml:3",),
            ("twice",),
        ),
        Case(
            "no title",
            {**_PAGE, _NAV: "nav:\n" + _LINE, "vllm-ascend:docs/hooks/nav_titles.py": "TITLES = {}\n"},
            ("error vllm-ascend/docs/hooks/nav_titles.py:1",),
        ),
        Case(
            "not in the toctree",
            {**_PAGE, "vllm-ascend:docs/source/tutorials/models/index.md": ":::{toctree}\nOther\n:::\n"},
            ("error vllm-ascend/docs/source/tutorials/models/index.md:1",),
        ),
    )

    def find(self, subject: Subject) -> Iterator[Finding]:
        found = tutorial(subject)
        if found is None:
            return
        tree, page = subject.checkouts.ascend, found[0].removeprefix("docs/source/")
        if tree.read(NAV) is not None:
            yield from self._entry(tree, NAV, page)
            titles = tree.read(TITLES)
            if titles is not None and f'"{page}"'.encode() not in titles:
                yield self.at("vllm-ascend", TITLES, 1, page, "has no title", "add its English and Chinese titles")
            return
        toctree = next((path for path in TREES if tree.read(path) is not None), None)
        if toctree:
            yield from self._entry(tree, toctree, page.rpartition("/")[2].removesuffix(".md"))

    def _entry(self, tree, path: str, name: str) -> Iterator[Finding]:
        lines = tree.read(path).decode("utf-8", "replace").splitlines()
        at = [number for number, line in enumerate(lines, 1) if self._names(line, name)]
        if not at:
            yield self.at("vllm-ascend", path, 1, name, "is not in the index", "add one line beside its siblings")
        elif len(at) > 1:
            yield self.at("vllm-ascend", path, at[-1], name, "is in the index twice", "take one of them out")

    @staticmethod
    def _names(line: str, name: str) -> bool:
        entry = line.strip().removeprefix("- ").strip("\"'")
        return (
            entry in (name, name.removesuffix(".md"), f"{name}.md")
            or entry.endswith(f": {name}")
            or f"<{name}" in entry
        )
