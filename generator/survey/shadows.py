"""What is already called like an op and is none of its layers: it may hide the op, or be what the op is to replace."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from generator.workspace.checkout import Checkout, Workspace

from .imports import Import, imports_in, resolve
from .likeness import is_like, names_like
from .picture import OpPicture, survey_op
from .reading import Reading, read_all
from .syntax import dotted, on_device
from .when import vendors_of

_PROBES = ("test_", "bench_")


@dataclass(frozen=True)
class Mention:
    """A place that knows a name.

    Attributes:
        kind: `definition`, `patch` (an assignment to an attribute of something else), `import` or `call`.
        repo: a key of `REPOS`.
        path: relative to the checkout.
        line: 1-based.
        name: the name as it is written there, its last part where it is dotted.
        note: what else a reader wants to know, or "".
    """

    kind: str
    repo: str
    path: str
    line: int
    name: str
    note: str = ""


def find_shadows(workspace: Workspace, op_name: str, picture: OpPicture | None = None) -> list[Mention]:
    """Find functions, classes, assignments and imports that are called like an op, outside the op's own layers.

    Args:
        workspace: where to look: `nn`, `models`, `kernels` and `backends` of lmdeploy, and all of dlinfer.
        op_name: as at layer 3.
        picture: what `survey_op` gave for it; it is read if it is not given.
    """
    own = _own_names(picture or survey_op(workspace, op_name))
    found = []
    for reading in _scope(workspace):
        names = names_like(reading.data, op_name) - own.get(reading.repo, set())
        if not names:
            continue
        imports = imports_in([reading.tree], reading)
        for kind, node, name, inside in _bindings(reading.tree):
            last = name.rpartition(".")[2]
            if last in names and is_like(last, op_name):
                note = _note(kind, name, inside, imports, reading)
                found.append(Mention(kind, reading.repo, reading.path, node.lineno, last, note))
    return found


def find_callers(workspace: Workspace, names: Iterable[str]) -> list[Mention]:
    """Find who calls some functions or classes of the two repositories, also under a name that an import gave them."""
    wanted = sorted(set(names))
    pattern = re.compile(rb"\b(?:" + b"|".join(re.escape(n.encode()) for n in wanted) + rb")\b")
    found = []
    for reading in _scope(workspace) if wanted else ():
        if not pattern.search(reading.data):
            continue
        imports = imports_in([reading.tree], reading)
        for node in ast.walk(reading.tree):
            callee = dotted(node.func) if isinstance(node, ast.Call) else None
            name = _called(callee, imports) if callee else None
            if name in wanted:
                found.append(Mention("call", reading.repo, reading.path, node.lineno, name))
    return sorted(found, key=lambda m: (m.repo != "lmdeploy", m.path, m.line))


def _called(callee: str, imports: dict[str, Import]) -> str | None:
    """The name in lmdeploy or dlinfer that a call means; None if it is another package's, or a method's."""
    target = resolve(callee, imports)
    if target.startswith(("lmdeploy.", "dlinfer.")):
        return target.rpartition(".")[2]
    return callee if "." not in callee and callee not in imports else None


def _scope(workspace: Workspace) -> Iterator[Reading]:
    for checkout, folder in _folders(workspace):
        yield from read_all(checkout, folder)


def _folders(workspace: Workspace) -> Iterator[tuple[Checkout, str]]:
    if "lmdeploy" in workspace:
        yield from ((workspace["lmdeploy"], f"lmdeploy/pytorch/{f}") for f in ("nn", "models", "kernels", "backends"))
    if "dlinfer" in workspace:
        yield workspace["dlinfer"], workspace["dlinfer"].package.name


def _own_names(picture: OpPicture) -> dict[str, set[str]]:
    """Repository to the names of everything that is a layer of the op."""
    lmdeploy = {x.name for x in (*picture.impls, *picture.builders, *picture.wrappers)}
    for op_type in picture.op_types.values():
        classes = [op_type.abstract_impl, op_type.abstract_builder]
        for side in op_type.backends.values():
            classes += [side.builder, *side.impls]
        lmdeploy |= {c.name for c in classes if c} | {item.name for item in op_type.nn} | {op_type.name}
    dlinfer = {picture.name} if picture.op or picture.vendors else set()
    dlinfer |= {picture.op.abstract} if picture.op and picture.op.abstract else set()
    return {"lmdeploy": lmdeploy, "dlinfer": dlinfer}


def _bindings(tree: ast.Module) -> Iterator[tuple[str, ast.stmt | ast.alias, str, str | None]]:
    """Kind, node, name and enclosing function of everything in a file that binds a name outside classes."""
    waiting: list[tuple[ast.AST, str | None]] = [(node, None) for node in reversed(tree.body)]
    while waiting:
        node, inside = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if not on_device(node) and not (inside or "").startswith(_PROBES):
                yield "definition", node, node.name, inside
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (("import", alias, alias.name, inside) for alias in node.names)
        elif isinstance(node, ast.Assign):
            yield from _assigned(node, inside)
        elif isinstance(node, ast.Expr) and (target := _set(node.value)):
            yield "patch", node, target, inside
        if isinstance(node, ast.stmt | ast.excepthandler) and not isinstance(node, ast.ClassDef):
            within = inside or (node.name if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else None)
            waiting.extend((child, within) for child in reversed(list(ast.iter_child_nodes(node))))


def _assigned(node: ast.Assign, inside: str | None) -> Iterator[tuple[str, ast.stmt, str, str | None]]:
    for target in filter(None, map(dotted, node.targets)):
        if "." in target and not target.startswith("self."):
            yield "patch", node, target, inside
        elif "." not in target and inside is None:
            yield "definition", node, target, inside


def _set(call: ast.expr) -> str | None:
    """`module.name` for `setattr(module, "name", …)`."""
    if not isinstance(call, ast.Call) or dotted(call.func) != "setattr" or len(call.args) != 3:
        return None
    owner, name = dotted(call.args[0]), call.args[1]
    return f"{owner}.{name.value}" if owner and isinstance(name, ast.Constant) else None


def _note(kind: str, name: str, inside: str | None, imports: dict[str, Import], reading: Reading) -> str:
    if kind == "patch":
        vendors = vendors_of(reading, inside)
        return f"replaces {resolve(name, imports)}" + (f" on {', '.join(vendors)}" if vendors else "")
    return f"in `{inside}`" if inside else ""
