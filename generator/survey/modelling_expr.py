"""Expressions of modelling code, reduced to what a configuration says: `self.scale` → `config.head_dim**-0.5`."""

from __future__ import annotations

import ast

CONFIGS = {"config", "text_config", "hf_config"}
OPERATORS = {ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.Add: "+", ast.Sub: "-", ast.FloorDiv: "//"}
# Calls that hand their first argument on.
PASSING = {"tensor", "to", "float", "int", "type", "as_tensor", "Parameter"}


class Reducer:
    """Reduces expressions of one class.

    Args:
        made: attribute → the expression that `__init__` gives it.
        local: name → expression, of the function that is being read.
    """

    def __init__(self, made: dict[str, ast.expr], local: dict[str, ast.expr] | None = None):
        self.made, self.local = made, local or {}

    def reduce(self, node: ast.expr | None, depth: int = 8) -> str | None:
        """Return an expression of `config` fields and numbers, or None if it is anything else."""
        if node is None or depth == 0:
            return None
        if isinstance(node, ast.Constant):
            return repr(node.value) if type(node.value) in (int, float) else None
        if isinstance(node, ast.Name):
            return self.reduce(self.local.get(node.id), depth - 1)
        if isinstance(node, ast.Attribute):
            return self._attribute(node, depth)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = self.reduce(node.operand, depth - 1)
            return f"-{inner}" if inner else None
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            return self._binary(node, depth)
        return self._call(node, depth) if isinstance(node, ast.Call) else None

    def _attribute(self, node: ast.Attribute, depth: int) -> str | None:
        base = node.value
        named = base.id if isinstance(base, ast.Name) else base.attr if isinstance(base, ast.Attribute) else ""
        if named in CONFIGS:
            return f"config.{node.attr}"
        return self.reduce(self.made.get(node.attr), depth - 1) if named == "self" else None

    def _binary(self, node: ast.BinOp, depth: int) -> str | None:
        left, right = self.reduce(node.left, depth - 1), self.reduce(node.right, depth - 1)
        if left is None or right is None:
            return None
        sign = OPERATORS[type(node.op)]
        left = f"({left})" if " " in left else left
        right = f"({right})" if " " in right else right
        return f"{left}{sign}{right}" if sign == "**" else f"{left} {sign} {right}"

    def _call(self, node: ast.Call, depth: int) -> str | None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name == "getattr" and len(node.args) >= 2 and isinstance(node.args[1], ast.Constant):
            name = node.args[1].value
            return f"config.{name}" if isinstance(name, str) and name.isidentifier() else None
        if name == "sqrt" and node.args:
            inner = self.reduce(node.args[0], depth - 1)
            return f"{f'({inner})' if ' ' in inner else inner}**0.5" if inner else None
        if name in PASSING:
            value = (
                node.args[0]
                if name in ("tensor", "as_tensor", "Parameter", "int", "float") and node.args
                else (node.func.value if isinstance(node.func, ast.Attribute) else None)
            )
            return self.reduce(value, depth - 1)
        return None


def made_by_init(cls: ast.ClassDef, first: bool = False) -> dict[str, ast.expr]:
    """Return attribute → the last (or first) expression that `__init__` assigns to it."""
    init = method(cls, "__init__")
    found: dict[str, ast.expr] = {}
    for node in ast.walk(init) if init else ():
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if (
            isinstance(node, (ast.Assign, ast.AnnAssign))
            and isinstance(target, ast.Attribute)
            and node.value is not None
        ):
            found[target.attr] = found.get(target.attr, node.value) if first else node.value
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "register_buffer" and len(node.args) > 1:
            if isinstance(node.args[0], ast.Constant):
                found[node.args[0].value] = node.args[1]
    return found


def locals_of(function: ast.AST) -> dict[str, ast.expr]:
    """Return name → the last expression that a function assigns to it."""
    return {
        node.targets[0].id: node.value
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
    }


def method(cls: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    """Return a method of a class, or None."""
    return next((n for n in cls.body if isinstance(n, ast.FunctionDef) and n.name == name), None)


def called(node: ast.expr | None) -> str:
    """Return the name of what an expression calls, "" for none; a conditional's first choice counts."""
    if isinstance(node, ast.IfExp):
        return called(node.body)
    if not isinstance(node, ast.Call):
        return ""
    func = node.func
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
