"""What dlinfer replaces in lmdeploy when it is imported: the patches of `lmdeploy_ext/device` and `quants`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from generator.workspace.checkout import Checkout

from .imports import BODIES, Import, imports_in, resolve, statements
from .reading import Layer, Reading, read, read_all
from .signature import Function, Signature, signature_of
from .syntax import dotted
from .when import vendors_of

ROOT = "dlinfer/framework/lmdeploy_ext"
DEVICE, QUANTS = f"{ROOT}/device", f"{ROOT}/quants"
_LISTS = {DEVICE: "vendor", QUANTS: "awq_vendor"}


@dataclass(frozen=True)
class Patch:
    """One assignment to an attribute of something in lmdeploy.

    Attributes:
        target: absolute dotted name of what is replaced, by the imports of the file.
        written: the target as it is written.
        value: source of what replaces it.
        path: relative to the dlinfer checkout.
        line: of the assignment.
        inside: the function that the assignment stands in, or None.
        vendors: those for which it is applied; empty for all.
        condition: source of the `if`s around it that do not name a vendor, or "".
        value_line: where what replaces it is defined, or None where that is in another file.
        value_kind: `function`, `class` or "".
        value_path: of the file that defines it.
        signature: of the function, or of the `__init__` of the class; None where it is not known.
        decorators: names of its decorators, and of a wrapping `classmethod(…)` or `staticmethod(…)`.
        is_async: True for an `async def`.
        returns: how many values each of its `return` statements gives (1 for anything but a tuple).
        methods: of a class that replaces a class: name to signature.
    """

    target: str
    written: str
    value: str
    path: str
    line: int
    inside: str | None = None
    vendors: tuple[str, ...] = ()
    condition: str = ""
    value_line: int | None = None
    value_kind: str = ""
    value_path: str = ""
    signature: Signature | None = None
    decorators: tuple[str, ...] = ()
    is_async: bool = False
    returns: tuple[int, ...] = ()
    methods: tuple[tuple[str, Signature], ...] = ()

    def applies_to(self, vendor: str) -> bool:
        """True if the patch is applied on this vendor."""
        return not self.vendors or vendor in self.vendors


@dataclass(frozen=True)
class PatchImport:
    """A name that a patch file takes from lmdeploy.

    Attributes:
        target: absolute dotted name.
        path, line: the place in dlinfer.
        inside: the function that it stands in, or None.
    """

    target: str
    path: str
    line: int
    inside: str | None


@dataclass(frozen=True)
class DeviceInit:
    """What `device/__init__.py` or `quants/__init__.py` is like.

    Attributes:
        path: relative to the dlinfer checkout.
        era: `list` where a list of vendors decides which module is imported, `functions` where `patch_*()` functions
            are called too.
        list_name: the variable of that list.
        listed: the vendors in it.
        entry: name of the function that applies the patches.
        entry_line: of its `def`.
        calls: vendor (or "" for all) to the sources of the calls that the entry makes for it, in order.
        functions: names of all functions of the file.
    """

    path: str
    era: str
    list_name: str
    listed: tuple[str, ...]
    entry: str
    entry_line: int
    calls: dict[str, tuple[str, ...]]
    functions: tuple[str, ...]


def read_patches(checkout: Checkout, folder: str = ROOT) -> Layer[Patch]:
    """Read the patches under a folder of dlinfer, by `path:line` in order of their place."""
    layer: Layer[Patch] = Layer()
    for reading in read_all(checkout, folder):
        layer.update((f"{p.path}:{p.line}:{p.written}", p) for p in patches_in(reading))
        layer.unreadable += reading.unreadable
    return layer


def patches_in(reading: Reading) -> list[Patch]:
    """The patches of one file."""
    found = []
    for node, scope, tests in _assignments(reading.tree):
        for target in filter(None, map(dotted, node.targets)):
            if "." not in target or target.startswith("self."):
                continue
            absolute = resolve(target, _visible(reading, scope))
            if absolute.startswith("lmdeploy."):
                found.append(_patch(node, target, absolute, scope, tests, reading))
    return found


def patch_imports(reading: Reading) -> list[PatchImport]:
    """What one file imports from lmdeploy, at its top level and inside functions."""
    found = []
    for inside, nodes in _scopes(reading.tree):
        for item in imports_in(nodes, reading).values():
            if item.target.startswith("lmdeploy"):
                found.append(PatchImport(item.target, reading.path, item.line, inside))
    return sorted(found, key=lambda i: i.line)


def read_init(checkout: Checkout, folder: str) -> DeviceInit | None:
    """Read the `__init__.py` that applies the patches of a folder, `DEVICE` or `QUANTS`; None if there is none."""
    reading = read(checkout, f"{folder}/__init__.py")
    if reading is None:
        return None
    listed = _listed(reading.tree, _LISTS[folder])
    functions = [n for n in reading.tree.body if isinstance(n, ast.FunctionDef)]
    entry = next((f for f in functions if f.name.startswith("vendor_") and f.name.endswith("_init")), None)
    return DeviceInit(
        path=reading.path,
        era="functions" if any(f.name.startswith("patch_") for f in functions) else "list",
        list_name=_LISTS[folder],
        listed=listed,
        entry=entry.name if entry else "",
        entry_line=entry.lineno if entry else 0,
        calls=_calls(entry.body, reading) if entry else {},
        functions=tuple(f.name for f in functions),
    )


def _listed(tree: ast.Module, name: str) -> tuple[str, ...]:
    values = [n.value for n in tree.body if isinstance(n, ast.Assign) and [dotted(t) for t in n.targets] == [name]]
    items = values[-1].elts if values and isinstance(values[-1], ast.List | ast.Tuple) else []
    return tuple(i.value for i in items if isinstance(i, ast.Constant))


def _calls(body: list[ast.stmt], reading: Reading) -> dict[str, tuple[str, ...]]:
    """Calls by the vendor that one `vendor_name == "x"` names; calls outside such an `if` are under ""."""
    found: dict[str, list[str]] = {}
    for node in body:
        vendor, inner = "", [node]
        if isinstance(node, ast.If):
            vendor = _one_vendor(node.test) or reading.text(node.test)
            inner = node.body
        for one in inner:
            if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call):
                found.setdefault(vendor, []).append(reading.text(one.value))
    return {vendor: tuple(calls) for vendor, calls in found.items()}


def _one_vendor(test: ast.expr) -> str | None:
    plain = isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq)
    if plain and dotted(test.left) == "vendor_name" and isinstance(test.comparators[0], ast.Constant):
        return str(test.comparators[0].value)
    return None


def _assignments(tree: ast.Module) -> Iterator[tuple[ast.Assign, tuple[Function, ...], tuple[ast.expr, ...]]]:
    """The assignments of a file outside classes, each with the functions and the tests around it."""
    waiting: list[tuple[ast.AST, tuple[Function, ...], tuple[ast.expr, ...]]] = [(tree, (), ())]
    while waiting:
        node, scope, tests = waiting.pop()
        if isinstance(node, ast.Assign):
            yield node, scope, tests
        elif isinstance(node, ast.If):
            waiting += [(child, scope, (*tests, node.test)) for child in reversed(node.body)]
            waiting += [(child, scope, tests) for child in reversed(node.orelse)]
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            waiting += [(child, (*scope, node), tests) for child in reversed(node.body)]
        elif isinstance(node, ast.Module | ast.Try | ast.With | ast.ExceptHandler):
            waiting += [(child, scope, tests) for child in reversed(list(ast.iter_child_nodes(node)))]


def _scopes(tree: ast.Module) -> Iterator[tuple[str | None, list[ast.stmt]]]:
    """The statements of the module, and those of each top-level function."""
    functions = [n for n in tree.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    yield None, [n for n in tree.body if n not in functions]
    yield from ((f.name, f.body) for f in functions)


def _visible(reading: Reading, scope: tuple[Function, ...]) -> dict[str, Import]:
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    imports = imports_in([n for n in reading.tree.body if not isinstance(n, functions)], reading)
    for function in scope:
        imports |= imports_in(function.body, reading)
    return imports


def _patch(
    node: ast.Assign,
    target: str,
    absolute: str,
    scope: tuple[Function, ...],
    tests: tuple[ast.expr, ...],
    reading: Reading,
) -> Patch:
    name, wrapper = _replacement(node.value)
    defined = _definition(name, reading.tree, scope) if name else None
    inside = scope[0].name if scope else None
    conditions = [reading.text(t) for t in tests if _one_vendor(t) is None]
    patch = Patch(
        target=absolute,
        written=target,
        value=reading.text(node.value),
        path=reading.path,
        line=node.lineno,
        inside=inside,
        vendors=vendors_of(reading, inside),
        condition=" and ".join(conditions),
    )
    return patch if defined is None else _with_definition(patch, defined, wrapper, reading)


def _replacement(value: ast.expr) -> tuple[str | None, tuple[str, ...]]:
    """The name that is assigned, and the wrapper around it, such as `classmethod`."""
    if isinstance(value, ast.Call) and dotted(value.func) in ("classmethod", "staticmethod", "property") and value.args:
        return dotted(value.args[0]), (dotted(value.func) or "",)
    return dotted(value), ()


def _definition(name: str, tree: ast.Module, scope: tuple[Function, ...]) -> Function | ast.ClassDef | None:
    found = (_definitions(owner).get(name) for owner in (*reversed(scope), tree))
    return next((node for node in found if node is not None), None)


@lru_cache(64)
def _definitions(owner: Function | ast.Module) -> dict[str, Function | ast.ClassDef]:
    """The functions and classes anywhere in a body by name; of several with one name the last."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {n.name: n for part in owner.body for n in statements(part) if isinstance(n, kinds)}


def _with_definition(patch: Patch, node: Function | ast.ClassDef, wrapper: tuple[str, ...], reading: Reading) -> Patch:
    is_class = isinstance(node, ast.ClassDef)
    methods = [n for n in node.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)] if is_class else []
    init = next((m for m in methods if m.name == "__init__"), None)
    function = init if is_class else node
    names = tuple(filter(None, (dotted(d.func if isinstance(d, ast.Call) else d) for d in node.decorator_list)))
    return replace(
        patch,
        value_line=node.lineno,
        value_kind="class" if is_class else "function",
        value_path=reading.path,
        signature=signature_of(function, reading.text) if function else None,
        decorators=(*names, *wrapper),
        is_async=isinstance(node, ast.AsyncFunctionDef),
        returns=() if is_class else return_sizes(node),
        methods=tuple((m.name, signature_of(m, reading.text)) for m in methods),
    )


def return_sizes(function: Function) -> tuple[int, ...]:
    """How many values each `return` of a function gives, in order: 1 for anything but a tuple, 0 for none."""
    found, waiting = [], list(reversed(function.body))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Return):
            value = node.value
            found.append(0 if value is None else len(value.elts) if isinstance(value, ast.Tuple) else 1)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            waiting += [s for name in BODIES for s in reversed(getattr(node, name, ()))]
    return tuple(found)
