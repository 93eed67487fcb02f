"""Binds a native call to the parameters of an op, by name only."""

from __future__ import annotations

import ast

from generator.errors import ScaffoldError
from generator.spec.op import OpSpec
from generator.spec.vendor import Vendor

from .prototype import Prototype, find_prototypes, parse_prototype

_SPELLINGS = {"torch_npu": "torch.ops.npu", "torch_mlu_ops": "tmo", "npu": "torch.ops.npu", "atb": "torch.ops.atb"}
_ALLOWED = (
    ast.Expression, ast.Call, ast.Attribute, ast.Name, ast.Load, ast.Constant, ast.Subscript, ast.keyword, ast.Tuple,
    ast.List, ast.UnaryOp, ast.USub, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Slice,
)  # fmt: skip


def bind_call(text: str, spec: OpSpec, vendor: Vendor) -> str:
    """Return the Python expression of a native call.

    Args:
        text: a call expression, a dotted name (every parameter is passed by its name), or an op schema.

    Raises:
        ScaffoldError: neither of them; a name that is no parameter; a required argument without a parameter.
    """
    if "->" in text:
        return bind_prototype(parse_prototype(text), spec, vendor)
    tree = _expression(text)
    if isinstance(tree.body, ast.Name | ast.Attribute):
        return f"{_spelled(text.strip())}({', '.join(f'{p.name}={p.name}' for p in spec.params)})"
    if not any(isinstance(node, ast.Call) for node in ast.walk(tree)):
        raise ScaffoldError(f"`{text}` calls nothing", next="give a native call, or its dotted name")
    return ast.unparse(tree)


def call_root(expression: str) -> str:
    """The first name of the outermost call of an expression: `tmo` of `tmo.active(x)[0]`."""
    for node in ast.walk(_expression(expression)):
        if isinstance(node, ast.Call):
            name = node.func
            while isinstance(name, ast.Attribute):
                name = name.value
            if isinstance(name, ast.Name):
                return name.id
    return ""


def free_names(expression: str) -> set[str]:
    """The names that an expression reads."""
    return {n.id for n in ast.walk(_expression(expression)) if isinstance(n, ast.Name)}


def bind_document(document: str, where: str, spec: OpSpec, vendor: Vendor) -> str:
    """Return the call of the operator that a document describes.

    Raises:
        ScaffoldError: the document shows no prototype, or several of which none has the op's name in it.
    """
    found = find_prototypes(document)
    if not found:
        raise ScaffoldError(
            "no prototype of a native operator in the document",
            where=where,
            next="it should show a line such as torch_npu.npu_x(self, gamma, epsilon=1e-06) -> (Tensor, Tensor)",
        )
    named = [p for p in found if spec.name in p.name] or (found if len(found) == 1 else [])
    if not named:
        names = ", ".join(p.name for p in found[:6])
        raise ScaffoldError(
            f"the document shows several operators, none named after {spec.name}: {names}",
            where=where,
            next="pass the prototype itself with --native",
        )
    return bind_prototype(named[0], spec, vendor)


def bind_prototype(prototype: Prototype, spec: OpSpec, vendor: Vendor) -> str:
    """Return the call of a prototype: leading arguments by position, the others by keyword.

    Raises:
        ScaffoldError: a required argument has no parameter of its name, or the number of results differs in a way that
            has no plain answer.
    """
    names = {p.name for p in spec.params}
    missing = [a.name for a in prototype.arguments if a.required and a.name not in names]
    if missing:
        raise ScaffoldError(
            f"{prototype.name} needs {', '.join(f'`{m}`' for m in missing)}, which {spec.name} has no parameter for",
            next=f'write the call out: --native "{_callee(prototype, vendor)}({spec.params[0].name}, …)", '
            "or rename the parameters with --param",
        )
    bound = [a for a in prototype.arguments if a.name in names]
    lead = 0
    while lead < len(bound) and bound[lead] == prototype.arguments[lead] and not bound[lead].keyword_only:
        lead += 1
    args = [a.name if i < lead else f"{a.name}={a.name}" for i, a in enumerate(bound)]
    return f"{_callee(prototype, vendor)}({', '.join(args)}){_pick(prototype, spec)}"


def _pick(prototype: Prototype, spec: OpSpec) -> str:
    have, want = prototype.returns, len(spec.returns)
    if have == want:
        return ""
    if have > want == 1:
        return "[0]"
    if have > want > 1:
        return f"[:{want}]"
    raise ScaffoldError(
        f"{prototype.name} returns {have} value(s), {spec.name} returns {want}",
        next="write the call out with --native, or change --returns",
    )


def _callee(prototype: Prototype, vendor: Vendor) -> str:
    name = prototype.name.replace("::", ".")
    if "." in name:
        return _spelled(name)
    if vendor.name == "ascend":
        return f"torch.ops.npu.{name}"
    raise ScaffoldError(
        f"the schema of `{name}` does not say where {vendor.title} keeps it",
        next=f"write its dotted name, such as {vendor.native_roots[0]}.{name}(…) -> …",
    )


def _spelled(name: str) -> str:
    """The name as the vendor's ops file says it: torch_npu and torch_mlu_ops are not imported there by these names."""
    root, _, rest = name.partition(".")
    return f"{_SPELLINGS[root]}.{rest}" if root in _SPELLINGS and rest else name


def _expression(text: str) -> ast.Expression:
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ScaffoldError(
            f"`{text}` is no Python expression", next="give a call such as torch.ops.npu.npu_x(hidden_states, weight)"
        ) from None
    for node in ast.walk(tree):
        if not isinstance(node, _ALLOWED) or (isinstance(node, ast.Name) and node.id.startswith("__")):
            raise ScaffoldError(f"`{text}` is more than a call of names and constants", next="write the body by hand")
    return tree
