"""From rendered files to steps of a plan. Every kind goes this way; nothing here knows of ops."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from generator.plan.builder import PlanBuilder
from generator.render.folder import Renderer
from generator.render.questions import asked
from generator.render.root import template_root
from generator.source.fragment import Fragment


@dataclass(frozen=True)
class Rendering:
    """One template folder to render.

    Attributes:
        id: the id that the result belongs to, such as `op-rms_norm_gated-camb`.
        repo: the checkout that it is written to.
        answers: all answers of `copier.yml`.
    """

    id: str
    repo: str
    answers: Mapping[str, Any]


@dataclass(frozen=True)
class NewFile:
    """What a scaffold says of a file that its template creates.

    Attributes:
        layer: for the table and the plan.
        name: of what the file holds.
        what: the sort of thing that it is, such as `kernel wrapper`.
    """

    layer: str | None
    name: str
    what: str


@dataclass(frozen=True)
class _Piece:
    repo: str
    path: str
    text: str
    fragment: Fragment | None

    @property
    def key(self) -> tuple:
        return (self.repo, self.path, self.text)


def plan_renderings(
    builder: PlanBuilder,
    renderer: Renderer,
    renderings: Iterable[Rendering],
    describe: Callable[[str], NewFile],
) -> None:
    """Add the steps of all renderings to a plan.

    What several renderings ask for in the same words (layers 0 to 3 of an op for two vendors) becomes one step that
    belongs to all their ids.

    Args:
        describe: what a new file at this path is.

    Raises:
        ScaffoldError, SourceError: an anchor is missing, or a name is taken by something else.
    """
    owners: dict[tuple, list[str]] = {}
    pieces: dict[tuple, _Piece] = {}
    for rendering in renderings:
        for piece in _pieces(builder, renderer, rendering):
            pieces.setdefault(piece.key, piece)
            owners.setdefault(piece.key, []).append(rendering.id)
    for key, piece in sorted(pieces.items(), key=lambda item: _order(item[1], describe)):
        _add(builder, piece, describe, owners[key])


def _pieces(builder: PlanBuilder, renderer: Renderer, rendering: Rendering) -> Iterator[_Piece]:
    for path, text in renderer.render(_answers(renderer, rendering)).items():
        if not path.startswith(".scaffold/"):
            yield _Piece(rendering.repo, path, text, None)
            continue
        builder.keep(rendering.repo, path, text.encode())
        if path.endswith(".txt"):
            fragment = Fragment.parse(text, path)
            yield _Piece(rendering.repo, fragment.path, str(fragment), fragment)


def _answers(renderer: Renderer, rendering: Rendering) -> Mapping[str, Any]:
    """Templates of somebody else may ask more than we answer: that is answered by its default."""
    if renderer.root == template_root():
        return rendering.answers
    return {**rendering.answers, **asked(renderer, rendering.answers)}


def _order(piece: _Piece, describe: Callable[[str], NewFile]) -> tuple:
    """Layer by layer; in a file the code first, then what registers it."""
    if piece.fragment is None:
        return (describe(piece.path).layer or "", piece.path, "")
    return (piece.fragment.layer or "", piece.path, piece.fragment.insertion.kind)


def _add(builder: PlanBuilder, piece: _Piece, describe: Callable[[str], NewFile], ids: list[str]) -> None:
    if piece.fragment is None:
        new = describe(piece.path)
        data = piece.text.encode()
        builder.create(piece.repo, piece.path, data, layer=new.layer, name=new.name, what=new.what, ids=ids)
        return
    it = piece.fragment
    more = {"layer": it.layer, "name": it.name, "note": it.note or "", "what": it.what or ""}
    builder.insert(piece.repo, piece.path, it.insertion, **more, ids=ids)
