"""The size of a graph buffer: every dimension at its maximum, because a graph is captured once for all steps."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from generator.errors import ScaffoldError
from generator.survey.expression import free_names, parse_expression, spelled
from generator.survey.graph_records import BATCH, OTHER, TOKEN

# What a dimension counts, by the one name in it. Blocks vary from step to step as well, within the maximum.
BLOCKS = "blocks"
_KINDS = {"max_batches": BATCH, "max_tokens": TOKEN, "num_blocks": BLOCKS}
# The field of CudaGraphMeta is spelled `max_batchs`; the local that every vendor makes of it is not.
_META = {"max_batchs": "max_batches", "max_tokens": "max_tokens", "num_blocks": "num_blocks"}
_RUNTIME = ("batch_size", "num_tokens", "new_batch_size", "num_seqs", "seq_len")
_TOKENS = "--size max_tokens is that number: batch times the query length, speculative tokens included"


@dataclass(frozen=True)
class Dim:
    """One dimension.

    Attributes:
        text: source, over the locals of `make_buffers_cudagraph`.
        kind: `batch`, `token`, `blocks` or `other` (the same in every step).
        extra: what is added to the batch or tokens, such as 1 for cumulative lengths.
    """

    text: str
    kind: str
    extra: int = 0


def parse_size(text: str, meta_fields: set[str]) -> list[Dim]:
    """Read `max_batches`, `3, max_tokens`, `(max_batches, num_blocks)`, `max_batches + 1` …

    Args:
        meta_fields: the fields of CudaGraphMeta in this checkout.

    Raises:
        ScaffoldError: a dimension that is not known when the graph is captured, or a formula that forgets
            speculative tokens.
    """
    tree = _Normal().visit(parse_expression(text, "--size"))
    parts = tree.elts if isinstance(tree, ast.Tuple | ast.List) else [tree]
    if not parts:
        raise ScaffoldError(
            "`()` is a scalar: a captured graph keeps the value that it had at capture",
            where="--size",
            next="give a size, such as 1 or max_batches",
        )
    return [_dim(part, text, meta_fields) for part in parts]


def dimension(dims: list[Dim]) -> str:
    """What the first dimension that varies counts: `batch`, `token` or `other`."""
    return next((d.kind for d in dims if d.kind in (BATCH, TOKEN)), OTHER)


class _Normal(ast.NodeTransformer):
    """Writes `graph_meta.max_batchs` and `max_batchs` as the local `max_batches`."""

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        if isinstance(node.value, ast.Name) and node.value.id == "graph_meta" and node.attr in _META:
            return ast.copy_location(ast.Name(_META[node.attr], ast.Load()), node)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> Any:
        return ast.copy_location(ast.Name(_META.get(node.id, node.id), node.ctx), node)


def _dim(node: ast.expr, text: str, meta_fields: set[str]) -> Dim:
    _check_names(node, text, meta_fields)
    if any(isinstance(n, ast.BinOp) and _multiplies_batch(n) for n in ast.walk(node)):
        raise ScaffoldError(
            f"`{spelled(node)}` counts tokens by a formula of its own, which forgets speculative tokens: with 4 "
            "sequences and 3 speculative tokens a step has 16 tokens",
            where="--size",
            next=_TOKENS,
        )
    if isinstance(node, ast.Constant) or not isinstance(node, ast.Name | ast.BinOp):
        return Dim(spelled(node), OTHER)
    kinds = [_KINDS[n.id] for n in ast.walk(node) if isinstance(n, ast.Name) and n.id in _KINDS]
    if isinstance(node, ast.Name) and kinds:
        return Dim(node.id, kinds[0])
    added = node.right.value if isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and len(kinds) == 1 and isinstance(added, int):
        return Dim(spelled(node), kinds[0], added)
    return Dim(spelled(node), OTHER)


def _check_names(node: ast.expr, text: str, meta_fields: set[str]) -> None:
    good = (ast.BinOp, ast.Name, ast.Constant, ast.Attribute, ast.operator, ast.expr_context)
    odd = [n for n in ast.walk(node) if not isinstance(n, good)]
    whole = all(isinstance(n.value, int) and n.value is not True for n in ast.walk(node) if isinstance(n, ast.Constant))
    if odd or not whole or (isinstance(node, ast.Constant) and node.value < 1):
        raise ScaffoldError(f"`{text}` is no size", where="--size", next="use whole numbers, max_batches, max_tokens …")
    for name in free_names(node):
        if name in _RUNTIME:
            what = f"`{name}` is the size of one step, and a graph buffer is made once for all of them"
            raise ScaffoldError(what, where="--size", next="give the maximum: max_batches or max_tokens")
        if name not in (*_KINDS, "graph_meta"):
            known = f"use {', '.join(_KINDS)}, whole numbers and graph_meta.{{{_some(meta_fields)}}}"
            advice = _TOKENS if "spec" in name else known
            raise ScaffoldError(f"`{name}` is not known where the buffers are made", where="--size", next=advice)
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and inner.attr not in meta_fields:
            raise ScaffoldError(
                f"CudaGraphMeta has no field `{inner.attr}`", where="--size", next=f"it has {_some(meta_fields)}"
            )


def _some(names: set[str]) -> str:
    return ", ".join(sorted(names))


def _multiplies_batch(node: ast.BinOp) -> bool:
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    return isinstance(node.op, ast.Mult) and "max_batches" in names and "max_tokens" not in names
