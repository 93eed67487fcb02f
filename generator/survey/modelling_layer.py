"""What a decoder layer does, in order: norms, attention, feed-forward, additions."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from .modelling_expr import Reducer, called, locals_of, made_by_init, method

ATTENTION = ("attention", "attn")
FEED = ("mlp", "feedforward", "feed_forward", "moe", "ffn", "sparse")


@dataclass
class Layer:
    """Attributes:
    cls: the class. norms: attribute → class of the norm. places: attribute → slot, or None if the order is unclear.
    parallel: attention and MLP read the same normed input. scale: factor on what is added, `unknown` if not understood.
    """

    cls: ast.ClassDef
    norms: dict[str, str] = field(default_factory=dict)
    places: dict[str, str] | None = None
    parallel: bool = False
    scale: str | None = None


def find_layer(classes: dict[str, ast.ClassDef]) -> Layer | None:
    """Return the decoder layer among the classes, or None."""
    for cls in classes.values():
        parts = {name: called(value) for name, value in made_by_init(cls).items()}
        norms = {name: kind for name, kind in parts.items() if "norm" in kind.lower()}
        attends = [name for name, kind in parts.items() if _is(ATTENTION, name, kind)]
        feeds = [name for name, kind in parts.items() if _is(FEED, name, kind) and name not in attends]
        if norms and attends and feeds and "vision" not in cls.name.lower() and method(cls, "forward"):
            layer = Layer(cls, norms)
            _read(layer, attends, feeds)
            return layer
    return None


def _is(words: tuple[str, ...], name: str, kind: str) -> bool:
    both = (name.lower(), kind.lower())
    if "dropout" in both[1] or "quantconfig" in both[1]:
        return False
    return (
        bool(kind)
        and "norm" not in both[0]
        and "norm" not in both[1]
        and any(w in text for w in words for text in both)
    )


def _read(layer: Layer, attends: list[str], feeds: list[str]) -> None:
    forward = method(layer.cls, "forward")
    steps = _Steps(set(layer.norms), set(attends), set(feeds))
    steps.block(forward.body)
    layer.places, layer.parallel = _places(steps.found)
    reducer = Reducer(made_by_init(layer.cls), locals_of(forward))
    scales = {reducer.reduce(node) or "unknown" for node in steps.factors}
    layer.scale = scales.pop() if len(scales) == 1 else "unknown" if scales else None


class _Steps:
    """Collects (`norm`, name), (`attention`, name), (`feed`, name) and (`add`, "") in the order of execution."""

    def __init__(self, norms: set[str], attends: set[str], feeds: set[str]):
        self.kinds = {
            **dict.fromkeys(norms, "norm"),
            **dict.fromkeys(attends, "attention"),
            **dict.fromkeys(feeds, "feed"),
        }
        self.found: list[tuple[str, str]] = []
        self.factors: list[ast.expr] = []

    def block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            if isinstance(statement, ast.If):
                # `if residual is None` and switches of the configuration: the first branch shows the order.
                self.block(statement.body)
            elif isinstance(statement, ast.AugAssign):
                self.expression(statement.value)
                self._multiplied(statement)
            else:
                for node in ast.iter_child_nodes(statement):
                    if isinstance(node, ast.expr):
                        self.expression(node)

    def expression(self, node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            self.expression(child)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _on_self(node.func):
            kind = self.kinds.get(node.func.attr)
            if kind == "norm" and len(node.args) > 1:
                self.found.append(("add", ""))
            if kind:
                self.found.append((kind, node.func.attr))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and self.found:
            self.found.append(("add", ""))
            for side in (node.left, node.right):
                if isinstance(side, ast.BinOp) and isinstance(side.op, ast.Mult):
                    self.factors.append(_factor(side))

    def _multiplied(self, statement: ast.AugAssign) -> None:
        if isinstance(statement.op, ast.Mult):
            self.factors.append(statement.value)
        elif isinstance(statement.op, ast.Add):
            self.found.append(("add", ""))


def _factor(node: ast.BinOp) -> ast.expr:
    """Return the side of a product that is no hidden state."""
    plain = isinstance(node.left, ast.Name) or isinstance(node.left, ast.Call)
    return node.right if plain else node.left


def _on_self(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "self"


def _places(steps: list[tuple[str, str]]) -> tuple[dict[str, str] | None, bool]:
    kinds = [kind for kind, _ in steps]
    if kinds.count("attention") != 1 or "feed" not in kinds:
        return None, False
    attends, feeds = kinds.index("attention"), kinds.index("feed")
    if feeds < attends:
        return None, False
    if "add" not in kinds[attends:feeds]:
        return ({name: "attn_pre" for kind, name in steps[:attends] if kind == "norm"}, True)
    added = kinds.index("add", attends)
    found: dict[str, str] = {}
    for place, (kind, name) in enumerate(steps):
        if kind == "norm":
            slot = (
                "attn_pre"
                if place < attends
                else "attn_post"
                if place < added
                else "mlp_pre"
                if place < feeds
                else "mlp_post"
            )
            found.setdefault(name, slot)
    return found, False
