"""The annotation and default of a new metadata field, as the file that declares it writes them."""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass

from generator.errors import ScaffoldError
from generator.survey.expression import free_names, parse_expression, spelled

# Where the names of annotations come from; `Sequence` moved with the annotations to `X | None`.
_TYPING = ("Any", "Dict", "List", "Optional", "Tuple", "Union", "Callable")
_DEFAULTS = {"bool": "False", "int": "0", "float": "0.0", "str": "''"}


@dataclass(frozen=True)
class FieldType:
    """An annotation.

    Attributes:
        annotation: source of it.
        default: source of the default; there is always one, for the fields above may have some.
        imports: (module, name) of what the file lacks; the name is "" for `import module`.
    """

    annotation: str
    default: str
    imports: tuple[tuple[str, str], ...]


def field_type(text: str, names: set[str], era: str, home: str) -> FieldType:
    """Read a type as typed, `Tensor` or `int = -1`.

    Args:
        names: the names that the declaring file binds.
        era: `pipe` for `X | None`, else `typing`.
        home: `attn` or `moe`; MoeMetadata writes `torch.Tensor = None`.

    Raises:
        ScaffoldError: it is no type, or the default is no constant.
    """
    written, _, default = text.partition("=")
    tree = parse_expression(written.strip(), "--type")
    tree = _Tensor(names, home).visit(tree)
    if not isinstance(tree, ast.Name | ast.Attribute | ast.Subscript | ast.BinOp | ast.Constant):
        raise ScaffoldError(f"`{text}` is no type", where="--type", next="give one such as Tensor, int or bool = False")
    annotation, optional = _annotation(tree, era, home)
    default = _default(default.strip(), annotation, optional)
    if default == "None" and not optional and home != "moe":
        annotation = f"{annotation} | None" if era == "pipe" else annotation
    needed = parse_expression(annotation, "--type")
    return FieldType(annotation, default, tuple(_imports(needed, names, era)))


class _Tensor(ast.NodeTransformer):
    """Writes the tensor class as the file names it."""

    def __init__(self, names: set[str], home: str):
        self.plain = "Tensor" in names and not (home == "moe" and "torch" in names)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return ast.Name("Tensor", ast.Load()) if self.plain and spelled(node) == "torch.Tensor" else node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id == "Tensor" and not self.plain:
            return ast.Attribute(ast.Name("torch", ast.Load()), "Tensor", ast.Load())
        return node


def _annotation(tree: ast.expr, era: str, home: str) -> tuple[str, bool]:
    """The annotation, and whether it allows None."""
    inner = tree.slice if isinstance(tree, ast.Subscript) and spelled(tree.value).endswith("Optional") else None
    if inner is not None and era == "pipe" and home != "moe":
        return f"{spelled(inner)} | None", True
    return spelled(tree), inner is not None or spelled(tree).endswith("| None")


def _default(text: str, annotation: str, optional: bool) -> str:
    if not text:
        return "None" if optional else _DEFAULTS.get(annotation, "None")
    tree = parse_expression(text, "--type")
    literal = tree.operand if isinstance(tree, ast.UnaryOp) else tree
    empty = isinstance(tree, ast.Call) and spelled(tree) in ("tuple()", "()")
    if not isinstance(literal, ast.Constant) and not empty and not isinstance(tree, ast.Attribute):
        raise ScaffoldError(
            f"`{text}` cannot be the default of a dataclass field", where="--type", next="give a constant, such as None"
        )
    return spelled(tree)


def _imports(tree: ast.expr, names: set[str], era: str):
    for name in free_names(tree):
        if name in names or hasattr(builtins, name):
            continue
        if name == "torch":
            yield "torch", ""
        elif name == "Tensor":
            yield "torch", "Tensor"
        elif name == "Sequence":
            yield "collections.abc" if era == "pipe" else "typing", "Sequence"
        elif name in _TYPING:
            yield "typing", name
        else:
            next = "give a builtin, torch or typing type"
            raise ScaffoldError(f"the type `{name}` is not known", where="--type", next=next)
