"""What vllm-ascend adds to vLLM: its models, the ops that it overrides, quantisation lists, the pinned transformers."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

from .vllm_tree import SourceTree, assigned, function, mapping, text, texts

MODELS = "vllm_ascend/models/__init__.py"
UTILS = "vllm_ascend/utils.py"
MODELSLIM = ("vllm_ascend/quantization/modelslim_config.py", "vllm_ascend/quantization/quant_config.py")
PLATFORM = "vllm_ascend/platform.py"
PINS = ("requirements.txt", "pyproject.toml", "requirements/common.txt")
PIN = re.compile(rb"^[\s\"']*transformers\s*([<>=!~][^\"'#;\n]*)", re.M)


@dataclass(frozen=True)
class Registered:
    """One `ModelRegistry.register_model(arch, target)`; target is `module:Class`."""

    arch: str
    target: str
    path: str
    line: int


@dataclass(frozen=True)
class Ascend:
    """Attributes:
    models: architecture → registration.
    overridden: names of vLLM classes that it replaces; conditional: those replaced only sometimes.
    packed: `model_type` → fused name → parts; packed_at, prefix_at, substr_at: (path, line) of each dict or None.
    methods: quantisation methods that its platform accepts.
    """

    models: dict[str, Registered] = field(default_factory=dict)
    overridden: frozenset[str] = frozenset()
    conditional: frozenset[str] = frozenset()
    packed: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    packed_at: tuple[str, int] | None = None
    prefix_at: tuple[str, int] | None = None
    prefixes: dict[str, dict[str, str | None]] = field(default_factory=dict)
    methods: tuple[str, ...] = ()


def read_ascend(tree: SourceTree) -> Ascend:
    """Return what a vllm-ascend checkout adds; lists that it does not have are empty."""
    path = next((p for p in MODELSLIM if assigned(tree.parse(p), "packed_modules_model_mapping") is not None), None)
    module = tree.parse(path) if path else None
    packed, prefix = (assigned(module, n) for n in ("packed_modules_model_mapping", "QUANT_MODEL_PREFIX_MAPPINGS"))
    always, sometimes = _overridden(tree)
    return Ascend(
        models=_models(tree),
        overridden=always,
        conditional=sometimes,
        packed={k: _fused(module, v) for k, v in mapping(packed).items()},
        packed_at=(path, packed.lineno) if packed is not None else None,
        prefix_at=(path, prefix.lineno) if prefix is not None else None,
        prefixes={k: {a: text(b) for a, b in mapping(v).items()} for k, v in mapping(prefix).items()},
        methods=tuple(_methods(tree)),
    )


def read_pin(tree: SourceTree) -> tuple[str, str, int] | None:
    """Return (requirement, path, line) of the pinned transformers of a checkout, or None."""
    for path in PINS:
        found = PIN.search(tree.read(path) or b"")
        if found:
            line = (tree.read(path) or b"").count(b"\n", 0, found.start(1)) + 1
            return found[1].decode("ascii", "replace").strip().rstrip(","), path, line
    return None


def _models(tree: SourceTree) -> dict[str, Registered]:
    found = {}
    for node in ast.walk(tree.parse(MODELS) or ast.Module([], [])):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "register_model":
            names = [text(arg) for arg in node.args[:2]]
            if len(names) == 2 and names[0]:
                found[names[0]] = Registered(names[0], names[1] or "", MODELS, node.lineno)
    return found


def _overridden(tree: SourceTree) -> tuple[frozenset[str], frozenset[str]]:
    body = function(tree.parse(UTILS), "register_ascend_customop")
    always = set(mapping(assigned(body, "REGISTERED_ASCEND_OPS")))
    sometimes = set()
    for node in ast.walk(body) if body else ():
        if isinstance(node, ast.Subscript) and _named(node.value, "REGISTERED_ASCEND_OPS") and text(node.slice):
            sometimes.add(text(node.slice))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "register_oot":
            always |= {text(k.value) for k in node.keywords if k.arg == "name" and text(k.value)}
    return frozenset(always), frozenset(sometimes - always)


def _named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _fused(module: ast.Module | None, value: ast.expr) -> dict[str, list[str]]:
    if isinstance(value, ast.Name):
        value = assigned(module, value.id)
    return {k: texts(v) for k, v in mapping(value).items()}


def _methods(tree: SourceTree) -> list[str]:
    value = assigned(tree.parse(PLATFORM), "supported_quantization")
    if value is None:
        return []
    constants = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}
    return texts(value) + [found for name in sorted(constants) if (found := text(assigned(tree.parse(UTILS), name)))]
