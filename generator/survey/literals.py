"""What a default may be for dlinfer's `register_custom_op`."""

from __future__ import annotations

import ast


def carries(text: str) -> bool:
    """True if a default survives `f"{name}={value}"` in an empty namespace (dlinfer/graph/custom_op.py).

    Args:
        text: source of the default.
    """
    try:
        node = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        return False
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        node = node.operand
    if isinstance(node, ast.Constant):
        value = node.value
        if isinstance(value, str):
            return not set(value) & set("'\\\n\r")
        return value is None or isinstance(value, bool | int | float)
    if isinstance(node, ast.Call):
        return ast.unparse(node) in ("tuple()", "list()", "dict()")
    return isinstance(node, ast.Tuple | ast.List) and all(carries(ast.unparse(item)) for item in node.elts)
