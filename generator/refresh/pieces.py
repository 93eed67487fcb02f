"""What a template renders for one id in one checkout, and what is kept there from the last time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from generator.plan.places import FOLDER
from generator.plan.tree import Tree
from generator.render.folder import Renderer
from generator.source.fragment import Fragment

ENDING = ".txt"


@dataclass(frozen=True)
class Rendered:
    """One rendering, sorted.

    Attributes:
        files: path in the checkout to bytes, for new files.
        fragments: path below `.scaffold/` to fragment.
        kept: path to bytes of everything below `.scaffold/<id>/`.
    """

    files: Mapping[str, bytes]
    fragments: Mapping[str, Fragment]
    kept: Mapping[str, bytes]


def render(renderer: Renderer, answers: Mapping[str, Any]) -> Rendered:
    """Render one template folder.

    Raises:
        ScaffoldError, SourceError: a template fails, or a fragment is broken.
    """
    files, fragments, kept = {}, {}, {}
    for path, text in renderer.render(answers).items():
        if not path.startswith(f"{FOLDER}/"):
            files[path] = text.encode()
            continue
        kept[path] = text.encode()
        if path.endswith(ENDING):
            fragments[path] = Fragment.parse(text, path)
    return Rendered(files, fragments, kept)


def kept_fragments(tree: Tree, repo: str, id: str) -> dict[str, Fragment]:
    """Return path to fragment, as it was inserted the last time; nobody edits these files."""
    found = {}
    for path in tree.files(repo, f"{FOLDER}/{id}"):
        if path.endswith(ENDING):
            data = tree.read(repo, path) or b""
            found[path] = Fragment.parse(data.decode("utf-8", "surrogateescape"), f"{repo}/{path}")
    return found
