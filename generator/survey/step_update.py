"""What a vendor's `update_step_context` computes and passes on."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from generator.workspace.checkout import Checkout

from .bindings import module_names
from .metadata import BACKENDS
from .reading import Reading, read
from .signature import Function, Signature, signature_of
from .syntax import classes, dotted, methods

_METHOD = "update_step_context"
# Block shapes of the KV cache that a vendor may have of its own.
_SHAPES = ("get_k_block_shape", "get_v_block_shape")


@dataclass(frozen=True)
class Constructor:
    """The call that builds a metadata object.

    Attributes:
        callee: as written, `attn_meta_cls`.
        line: 1-based.
        target: the local that it is assigned to, or "".
        opening: source of the first line of the statement above which a value must be ready.
        keywords: name to source of its value.
        args: sources of its positional arguments.
        lines: name of a keyword to its line.
    """

    callee: str
    line: int
    target: str
    opening: str
    keywords: dict[str, str]
    args: tuple[str, ...]
    lines: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class StepUpdate:
    """One `update_step_context`.

    Attributes:
        path: relative to the lmdeploy checkout.
        cls: the class that it is a method of.
        base: the first base of that class, as written, or "".
        line: of its `def`.
        helpers: names of the functions defined in it, in order.
        bound: the names that its body binds, to the line of the first binding; parameters have the line of the `def`.
        sure: those of them that are bound on every way through the body.
        module_names: the names that the file binds at its top level.
        attn: the call that builds the attention metadata, or None.
        moe: the call that builds the MoE metadata, or None.
        sets: field of the step context to source and line, for `step_context.x = …`.
        shapes: name to line of the `get_k_block_shape` and `get_v_block_shape` that the class has.
    """

    path: str
    cls: str
    base: str
    line: int
    helpers: tuple[str, ...]
    bound: dict[str, int]
    sure: frozenset[str]
    module_names: frozenset[str]
    attn: Constructor | None
    moe: Constructor | None
    sets: dict[str, tuple[str, int]]
    shapes: dict[str, int]

    @property
    def scope(self) -> str:
        """Dotted name of the method."""
        return f"{self.cls}.{_METHOD}"

    def constructor(self, metadata: str) -> Constructor | None:
        """The call for `attn` or `moe`."""
        return self.attn if metadata == "attn" else self.moe


def backend_path(vendor: str) -> str:
    """The file of a vendor's backend, relative to the lmdeploy checkout."""
    return f"{BACKENDS}/dlinfer/{vendor}/op_backend.py"


def block_shape_signature(checkout: Checkout, name: str) -> Signature | None:
    """The signature of `get_k_block_shape` or `get_v_block_shape` as the vendors inherit it."""
    reading = read(checkout, f"{BACKENDS}/dlinfer/op_backend.py")
    for cls in classes(reading.tree) if reading else ():
        for function in methods(cls):
            if function.name == name:
                return signature_of(function, reading.text)
    return None


def read_step_update(checkout: Checkout, vendor: str) -> StepUpdate | None:
    """Read a vendor's `update_step_context`; None if its backend has none."""
    path = backend_path(vendor)
    reading = read(checkout, path)
    for cls in classes(reading.tree) if reading else ():
        own = {m.name: m for m in methods(cls)}
        if _METHOD in own:
            names = frozenset(module_names(checkout, path))
            return _update(cls, own[_METHOD], {n: own[n].lineno for n in _SHAPES if n in own}, names, reading)
    return None


def _update(
    cls: ast.ClassDef, function: Function, shapes: dict[str, int], names: frozenset[str], reading: Reading
) -> StepUpdate:
    nested = [n for n in ast.walk(function) if n is not function and isinstance(n, ast.FunctionDef)]
    inside = {id(x) for n in nested for x in ast.walk(n) if x is not n}
    own = [n for n in ast.walk(function) if id(n) not in inside]
    bound = dict.fromkeys(signature_of(function).names, function.lineno)
    for node in sorted(own[1:], key=lambda n: getattr(n, "lineno", 0)):
        for name in _binds(node):
            bound.setdefault(name, node.lineno)
    return StepUpdate(
        path=reading.path,
        cls=cls.name,
        base=(dotted(cls.bases[0]) or "") if cls.bases else "",
        line=function.lineno,
        helpers=tuple(n.name for n in function.body if isinstance(n, ast.FunctionDef)),
        bound=bound,
        sure=frozenset({*signature_of(function).names, *_surely(function.body)}),
        module_names=names,
        attn=_constructor(function, own, ("attn_meta_cls", "DlinferAttentionMetadata"), "attn_metadata", reading),
        moe=_constructor(function, own, ("DlinferMoeMetadata", "MoeMetadata", "moe_meta_cls"), "moe_metadata", reading),
        sets=_sets(own, reading),
        shapes=shapes,
    )


def _binds(node: ast.AST) -> list[str]:
    """The names that one node binds by itself."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return [node.id]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [(a.asname or a.name).partition(".")[0] for a in node.names]
    return [node.name] if isinstance(node, ast.FunctionDef) else []


def _surely(body: list[ast.stmt]) -> set[str]:
    """The names that a body binds whichever branch is taken."""
    names: set[str] = set()
    for node in body:
        if isinstance(node, ast.If):
            names |= _surely(node.body) & _surely(node.orelse)
        elif isinstance(node, ast.With):
            names |= _surely(node.body)
        elif isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif not isinstance(node, ast.For | ast.While | ast.Try | ast.ClassDef):
            names |= {n for part in ast.walk(node) for n in _binds(part)}
    return names


def _constructor(
    function: Function, own: list[ast.AST], callees: tuple[str, ...], target: str, reading: Reading
) -> Constructor | None:
    """The last call of one of these names, or what is assigned to the metadata's usual name."""
    found = None
    for node in own:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            names = [dotted(t) or "" for t in node.targets]
            if dotted(node.value.func) in callees or (target in names and node.value.keywords):
                found = (node, names[0])
    if found is None:
        return None
    node, name = found
    call = node.value
    return Constructor(
        callee=dotted(call.func) or "",
        line=call.lineno,
        target=name,
        opening=_opening(function, node, dotted(call.func) or "", reading),
        keywords={k.arg: reading.text(k.value) for k in call.keywords if k.arg},
        args=tuple(map(reading.text, call.args)),
        lines={k.arg: k.value.lineno for k in call.keywords if k.arg},
    )


def _opening(function: Function, node: ast.Assign, callee: str, reading: Reading) -> str:
    """The first line of the statement that builds, or of the one directly above it that fetches the class."""
    for block in _blocks(function):
        if node in block:
            at = block.index(node)
            above = block[at - 1] if at else None
            fetches = isinstance(above, ast.Assign) and [dotted(t) for t in above.targets] == [callee]
            first = above if fetches else node
            return reading.lines[first.lineno - 1].decode().strip()
    return ""


def _blocks(function: Function) -> list[list[ast.stmt]]:
    fields = [getattr(n, name, None) for n in ast.walk(function) for name in ("body", "orelse")]
    return [block for block in fields if isinstance(block, list)]


def _sets(own: list[ast.AST], reading: Reading) -> dict[str, tuple[str, int]]:
    found = {}
    for node in own:
        for target in node.targets if isinstance(node, ast.Assign) else ():
            head, _, name = (dotted(target) or "").rpartition(".")
            if head == "step_context":
                found[name] = (reading.text(node.value), node.lineno)
    return found
