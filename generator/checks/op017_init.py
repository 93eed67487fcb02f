"""OP017: a package folder without its `__init__.py`."""

from __future__ import annotations

from collections.abc import Iterator

from generator.survey.layers import SCOPE, Layers

from .finding import Finding, Place
from .remedy import Remedy
from .rule import Case, Rule, register

_A = {"dlinfer:dlinfer/__init__.py": "", "dlinfer:dlinfer/a/__init__.py": ""}


@register
class InitFile(Rule):
    """`find_packages` leaves out a folder without `__init__.py`: everything works in the checkout, and the wheel lacks
    the folder.

    A folder counts if it has Python files, or a package below it, and the folder above is a package. `--fix` adds an
    empty file.
    """

    id = "OP017"
    title = "every package folder has an `__init__.py`"
    needs = ()
    VALID = (
        Case("all there", {**_A, "dlinfer:dlinfer/a/x.py": ""}),
        Case("no package above", {"dlinfer:dlinfer/scripts/x.py": ""}),
    )
    INVALID = (
        Case(
            "imported",
            {**_A, "dlinfer:dlinfer/a/b/x.py": "", "dlinfer:dlinfer/a/y.py": "from .b import x\n"},
            ("error dlinfer/a/b/__init__.py:1",),
        ),
        Case("not imported", {**_A, "dlinfer:dlinfer/a/b/x.py": ""}, ("error dlinfer/a/b/__init__.py:1",)),
        Case(
            "only the folder below has one",
            {**_A, "dlinfer:dlinfer/a/b/c/__init__.py": "", "dlinfer:dlinfer/a/y.py": "import dlinfer.a.b.c\n"},
            ("error dlinfer/a/b/__init__.py:1",),
        ),
    )

    def find(self, picture: Layers) -> Iterator[Finding]:
        for repo, shelf in picture.shelves.items():
            files = set(shelf.list(SCOPE[repo]))
            for folder in sorted({parent for path in files for parent in _parents(path)}):
                above = folder.rpartition("/")[0]
                if f"{folder}/__init__.py" not in files and f"{above}/__init__.py" in files:
                    inside = [path for path in files if path.startswith(f"{folder}/")]
                    used = any(picture.is_imported(repo, path) for path in inside)
                    yield self._finding(repo, folder, used)

    def _finding(self, repo: str, folder: str, used: bool) -> Finding:
        path = f"{folder}/__init__.py"
        message = f"the folder {folder} has no `__init__.py`: it is left out of the wheel"
        message += ", and other files import from it" if used else ""
        remedy = Remedy(repo, path, "create", (("text", ""),), path)
        return self.finding(Place(repo, path), folder, message, f"add an empty {path}", remedy=remedy)


def _parents(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[:n]) for n in range(2, len(parts) + 1)]
