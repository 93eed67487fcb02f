"""Modelling code, read and never run: what it says of a decoder that a configuration does not.

It may be the checkpoint's remote code, the file that transformers has for the model type, or a model of vLLM that
somebody named.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from .modelling_expr import Reducer, called, locals_of, made_by_init, method
from .modelling_layer import find_layer
from .vllm_tree import SourceTree

# Norm classes of torch and of vLLM, by name.
FUSED = r"(?:qkv_proj|W_pack|query_key_value|Wqkv|wqkv|c_attn|qkv)"
RESHAPED = re.compile(rf"(?:self\.{FUSED}\([^()]*\)|\b(?:fused_)?(?:mixed_)?qkv\w*)\.(?:view|reshape)\(|rearrange\(")
CUT = re.compile(r"\.split\(|\.chunk\(3|query_pos|unflatten\(-1, \(3")
KNOWN_NORMS = {"LayerNorm": "LayerNorm", "RMSNorm": "RMSNorm", "GemmaRMSNorm": "GemmaRMSNorm"}


@dataclass
class Code:
    """Attributes:
    where: the file and line, for the reader.
    norm_places: norm's attribute → `attn_pre`, `attn_post`, `mlp_pre` or `mlp_post`; None if unclear.
    norm_kind: `RMSNorm`, `GemmaRMSNorm` (gain 1 + weight), `LayerNorm`, or None if unclear.
    rope_style: `halves`, `pairs`, or None if unclear. norm_after_rope: queries are rotated first.
    scaling: expression of the softmax scale, `head` for the head size's root, None if unclear.
    embed_scale, residual_scale, logits_scale: expressions, None for none, `unknown` if not understood.
    activation_field: field that names the activation. activation: its name where the code fixes it.
    qkv_rows: how a fused projection is split: `contiguous`, or None. reads: fields of the configuration that are read.
    """

    where: str
    norm_places: dict[str, str] | None = None
    parallel: bool = False
    norm_kind: str | None = None
    rope_style: str | None = None
    norm_after_rope: bool = False
    scaling: str | None = None
    embed_scale: str | None = None
    residual_scale: str | None = None
    logits_scale: str | None = None
    activation_field: str | None = None
    activation: str | None = None
    qkv_rows: str | None = None
    renormalize: bool | None = None
    scoring: str | None = None
    reads: frozenset[str] = frozenset()


def read_modelling(tree: SourceTree, path: str) -> Code | None:
    """Return what the file at `path` says, None if it is absent, no Python, or has no decoder layer."""
    module = tree.parse(path)
    classes = {n.name: n for n in module.body if isinstance(n, ast.ClassDef)} if module else {}
    functions = {n.name: n for n in module.body if isinstance(n, ast.FunctionDef)} if module else {}
    return read_classes(classes, functions, path)


def read_classes(classes: dict[str, ast.ClassDef], functions: dict[str, ast.FunctionDef], path: str) -> Code | None:
    """Return what these classes and functions say, None without a decoder layer."""
    layer = find_layer(classes)
    if layer is None:
        return None
    code = Code(f"{path}:{layer.cls.lineno}", layer.places, layer.parallel, residual_scale=layer.scale)
    code.norm_kind = _norm_kind(set(layer.norms.values()), classes)
    everything = [*classes.values(), *functions.values()]
    code.rope_style = _rope_style(everything, functions)
    code.reads = _reads(everything)
    code.activation_field, code.activation = _activation(everything)
    _attention(code, layer.cls, classes)
    _ends(code, classes)
    _routing(code, classes, functions)
    return code


def _norm_kind(names: set[str], classes: dict[str, ast.ClassDef]) -> str | None:
    kinds = {KNOWN_NORMS.get(name) if name not in classes else _own_norm(classes[name]) for name in names}
    return kinds.pop() if len(kinds) == 1 else None


def _own_norm(cls: ast.ClassDef) -> str | None:
    text = ast.unparse(cls)
    if "- mean" in text or "-mean" in text:
        return "LayerNorm"
    if any(
        sum_ in text for sum_ in ("1.0 + self.weight", "1 + self.weight", "self.weight + 1", "self.weight.float() + 1")
    ):
        return "GemmaRMSNorm"
    if "rsqrt" in text and ("pow(2)" in text or ".square()" in text) and "self.bias" not in text:
        return "RMSNorm"
    return "LayerNorm" if "self.bias" in text or any(called_base(b) == "LayerNorm" for b in cls.bases) else None


def called_base(node: ast.expr) -> str:
    """Return the last name of a base class as written."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _rope_style(everything: list[ast.AST], functions: dict[str, ast.FunctionDef]) -> str | None:
    flags = [
        k.value.value
        for node in everything
        for n in ast.walk(node)
        if isinstance(n, ast.Call)
        for k in n.keywords
        if k.arg == "is_neox_style" and isinstance(k.value, ast.Constant)
    ]
    if flags:
        return "halves" if all(flags) else "pairs" if not any(flags) else None
    own = [f for name, f in functions.items() if name == "rotate_half"] or [
        f for n, f in functions.items() if "rot" in n.lower()
    ]
    if any("interleave" in name for name in functions):
        own = [f for name, f in functions.items() if "rot" in name.lower()]
    text = "\n".join(map(ast.unparse, own))
    pairs = "::2" in text or "view_as_complex" in text or "interleave" in text
    halves = "shape[-1] // 2" in text or "chunk(2" in text or "size(-1) // 2" in text
    if pairs and halves:
        return None
    if pairs or halves:
        return "pairs" if pairs else "halves"
    # vLLM's get_rope rotates halves unless it is told otherwise.
    return "halves" if any(called(n) == "get_rope" for node in everything for n in ast.walk(node)) else None


def _reads(everything: list[ast.AST]) -> frozenset[str]:
    found: set[str] = set()
    for node in (n for part in everything for n in ast.walk(part)):
        if isinstance(node, ast.Attribute):
            base = node.value
            if (getattr(base, "id", None) or getattr(base, "attr", "")) in ("config", "text_config", "hf_config"):
                found.add(node.attr)
        elif isinstance(node, ast.Call) and called(node) == "getattr" and len(node.args) > 1:
            found |= {node.args[1].value} if isinstance(node.args[1], ast.Constant) else set()
    return frozenset(name for name in found if isinstance(name, str))


def _activation(everything: list[ast.AST]) -> tuple[str | None, str | None]:
    for node in (n for part in everything for n in ast.walk(part)):
        if isinstance(node, ast.Subscript) and getattr(node.value, "id", "") == "ACT2FN":
            name = Reducer({}).reduce(node.slice)
            if name and name.startswith("config."):
                return name[7:], None
            if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
                return None, node.slice.value
    return None, None


def _attention(code: Code, layer: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> None:
    names = [called(value) for name, value in made_by_init(layer).items() if "att" in called(value).lower()]
    cls = next((classes[name] for name in names if name in classes), None) or next(
        (c for n, c in classes.items() if n.endswith(("Attention", "SelfAttention")) and "ision" not in n), None
    )
    if cls is None:
        return
    made, forward = made_by_init(cls), method(cls, "forward")
    text = ast.unparse(cls)
    first = made_by_init(cls, first=True)
    given = next((first[name] for name in ("scaling", "softmax_scale", "scale") if name in first), None)
    code.scaling = _scale(Reducer(made), given, text)
    if forward is not None:
        body = ast.unparse(forward)
        norm, rope = body.find("_norm("), max(body.find("apply_rotary"), body.find("rotary_emb("))
        code.norm_after_rope = norm > rope >= 0
        code.qkv_rows = _rows(body)


def _rows(body: str) -> str | None:
    """Return `contiguous` if the fused projection's output is cut as it comes, without being reshaped before."""
    if not re.search(rf"self\.{FUSED}\(", body) or RESHAPED.search(body):
        return None
    return "contiguous" if CUT.search(body) else None


def _routing(code: Code, classes: dict[str, ast.ClassDef], functions: dict[str, ast.FunctionDef]) -> None:
    """Say how experts are scored, and whether the weights of the chosen ones are always made to add up to one."""
    routers = [c for n, c in classes.items() if any(word in n for word in ("Router", "Moe", "MoE", "Sparse", "Gate"))]
    text = "\n".join(map(ast.unparse, routers))
    sigmoid, softmax = "sigmoid()" in text, "softmax" in text
    if sigmoid != softmax:
        code.scoring = "sigmoid" if sigmoid else "softmax"
    for node in (n for cls in routers for f in cls.body if isinstance(f, ast.FunctionDef) for n in f.body):
        value = getattr(node, "value", None)
        divides = (
            isinstance(node, ast.AugAssign)
            and isinstance(node.op, ast.Div)
            or (isinstance(value, ast.BinOp) and isinstance(value.op, ast.Div))
        )
        if divides and "sum(" in ast.unparse(node) and "keepdim" in ast.unparse(node):
            code.renormalize = True


def _scale(reducer: Reducer, given: ast.expr | None, text: str) -> str | None:
    if given is None:
        return "head" if "math.sqrt(self.head_dim)" in text or "scaled_dot_product_attention" in text else None
    written = ast.unparse(given).replace(" ", "").replace("(-0.5)", "-0.5")
    if written in (
        "self.head_dim**-0.5",
        "1/math.sqrt(self.head_dim)",
        "self.qk_head_dim**-0.5",
        "self.q_head_dim**-0.5",
    ):
        return "head"
    return reducer.reduce(given)


def _ends(code: Code, classes: dict[str, ast.ClassDef]) -> None:
    for cls in classes.values():
        made, forward = made_by_init(cls), method(cls, "forward")
        if forward is None or "ision" in cls.name:
            continue
        init = method(cls, "__init__")
        reducer = Reducer(made, (locals_of(init) if init else {}) | locals_of(forward))
        if any("mbed" in name for name in made) and "layers" in made:
            code.embed_scale = code.embed_scale or _factor(forward, reducer, ("hidden_states", "inputs_embeds"))
            code.embed_scale = code.embed_scale or _scaled_embedding(made, reducer)
        if "lm_head" in made:
            code.logits_scale = code.logits_scale or _factor(forward, reducer, ("logits",))
        if "logits_processor" in made:
            scale = next((k.value for k in getattr(made["logits_processor"], "keywords", ()) if k.arg == "scale"), None)
            code.logits_scale = code.logits_scale or (reducer.reduce(scale) if scale is not None else None)
        embeds = method(cls, "embed_input_ids")
        if embeds is not None and any(isinstance(n, ast.Mult) for n in ast.walk(embeds)):
            product = next(n for n in ast.walk(embeds) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mult))
            code.embed_scale = reducer.reduce(product.right) or "unknown"


def _factor(forward: ast.FunctionDef, reducer: Reducer, names: tuple[str, ...]) -> str | None:
    """Return the factor of the first statement `x = x * factor` or `x = x / divisor` outside of loops."""
    for node in forward.body:
        value, target = (
            getattr(node, "value", None),
            (getattr(node, "targets", None) or [getattr(node, "target", None)])[0],
        )
        if getattr(target, "id", "") not in names:
            continue
        if isinstance(node, ast.AugAssign) and isinstance(node.op, (ast.Mult, ast.Div)):
            return _turned(node.op, node.value, reducer)
        if (
            isinstance(value, ast.BinOp)
            and isinstance(value.op, (ast.Mult, ast.Div))
            and getattr(value.left, "id", "") in names
        ):
            return _turned(value.op, value.right, reducer)
    return None


def _turned(op: ast.operator, value: ast.expr, reducer: Reducer) -> str:
    found = reducer.reduce(value)
    if found is None or getattr(value, "attr", "") == "final_logit_softcapping":
        return "unknown" if found is None else ""
    return found if isinstance(op, ast.Mult) else f"1 / {f'({found})' if ' ' in found else found}"


def _scaled_embedding(made: dict[str, ast.expr], reducer: Reducer) -> str | None:
    for value in made.values():
        if "ScaledWordEmbedding" in called(value):
            scale = next((k.value for k in value.keywords if k.arg == "embed_scale"), None)
            return reducer.reduce(scale) or "unknown"
    return None
