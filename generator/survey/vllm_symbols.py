"""What a vLLM checkout offers to a model file: each boundary of its interfaces, probed by the symbol itself."""

from __future__ import annotations

import ast
from typing import Any

from .vllm_tree import SourceTree, assigned

LAYERS = "vllm/model_executor/layers"
UTILS = "vllm/model_executor/models/utils.py"
INTERFACES = "vllm/model_executor/models/interfaces.py"
MOE = f"{LAYERS}/fused_moe/__init__.py"
PLACES = {
    "attention": (f"{LAYERS}/attention/__init__.py", "vllm/attention/layer.py", "vllm/attention/__init__.py"),
    "get_rope": (f"{LAYERS}/rotary_embedding/__init__.py",),
    "gate_linear": (MOE, f"{LAYERS}/fused_moe/router/gate_linear.py"),
    "mla": (f"{LAYERS}/mla.py",),
    "dummy_inputs": ("vllm/multimodal/processing/__init__.py", "vllm/multimodal/profiling.py"),
    "dummy_options": ("vllm/config/multimodal.py",),
    "data_dict": ("vllm/inputs/__init__.py", "vllm/multimodal/inputs.py"),
    "compile": ("vllm/compilation/decorators.py",),
}
NAMES = {
    "attention": "Attention",
    "get_rope": "get_rope",
    "gate_linear": "GateLinear",
    "mla": "MultiHeadLatentAttentionWrapper",
    "dummy_inputs": "BaseDummyInputsBuilder",
    "dummy_options": "MultiModalDummyOptions",
    "data_dict": "MultiModalDataDict",
    "compile": "support_torch_compile",
}
EXPERTS = ("FusedMoEFactory", "SharedFusedMoE", "FusedMoE")


def read_symbols(tree: SourceTree) -> dict[str, Any]:
    """Return symbol → the module that has it (None where none has), and the boundaries that a method or field tells.

    `stacked`: `WeightsMapper` has `orig_to_new_stacked`. `experts`: the class or factory of the experts. `mapping`:
    how a loader maps experts, `function`, `method` or "" where the experts load themselves. `tie`: the head can be
    tied. `internal_router`: the experts may or may not run the router themselves, and say so.
    """
    found: dict[str, Any] = {what: _place(tree, paths, NAMES[what]) for what, paths in PLACES.items()}
    found["stacked"] = has_field(tree, UTILS, "WeightsMapper", "orig_to_new_stacked")
    found["experts"] = next((name for name in EXPERTS if provides(tree, MOE, name)), None)
    found["mapping"] = _mapping(tree, found["stacked"])
    found["tie"] = has_method(tree, f"{LAYERS}/vocab_parallel_embedding.py", "ParallelLMHead", "tie_weights")
    found["internal_router"] = any(
        b"def is_internal_router" in (tree.read(path) or b"") for path in tree.files(f"{LAYERS}/fused_moe")
    )
    found["expert_arguments"] = sorted(_arguments(tree, found["experts"]))
    found["rope_theta_default"] = provides(tree, "vllm/transformers_utils/config.py", "set_default_rope_theta")
    found["interfaces"] = [
        name
        for name in ("SupportsQuant", "SupportsLoRA", "SupportsPP", "SupportsMRoPE", "MixtureOfExperts")
        if provides(tree, INTERFACES, name)
    ]
    found["gemma_norm"] = provides(tree, f"{LAYERS}/layernorm.py", "GemmaRMSNorm")
    found["token_handling"] = b"def configure_mm_token_handling" in (tree.read(INTERFACES) or b"")
    found["mark_tower"] = b"def _mark_tower_model" in (tree.read(INTERFACES) or b"")
    return found


def provides(tree: SourceTree, path: str, name: str) -> bool:
    """Return True if the file at `path` defines, imports or assigns `name` at its top level."""
    return name in _top(tree, path)


def has_field(tree: SourceTree, path: str, cls: str, name: str) -> bool:
    """Return True if the class body of `cls` has the annotated or assigned field `name`."""
    return assigned(_class(tree, path, cls), name) is not None


def has_method(tree: SourceTree, path: str, cls: str, name: str) -> bool:
    """Return True if `cls` defines the method `name`."""
    node = _class(tree, path, cls)
    return node is not None and any(isinstance(n, ast.FunctionDef) and n.name == name for n in node.body)


def _class(tree: SourceTree, path: str, name: str) -> ast.ClassDef | None:
    module = tree.parse(path)
    return next((n for n in module.body if isinstance(n, ast.ClassDef) and n.name == name), None) if module else None


def _place(tree: SourceTree, paths: tuple[str, ...], name: str) -> str | None:
    found = next((path for path in paths if provides(tree, path, name)), None)
    return found.removesuffix(".py").removesuffix("/__init__").replace("/", ".") if found else None


def _mapping(tree: SourceTree, stacked: bool) -> str:
    if stacked:
        return ""
    return "function" if provides(tree, MOE, "fused_moe_make_expert_params_mapping") else "method"


def _arguments(tree: SourceTree, experts: str | None) -> set[str]:
    """Return the arguments of the experts, those of the base class included."""
    names = {"FusedMoE"} | ({experts} if experts else set())
    found: set[str] = set()
    for path in (f"{LAYERS}/fused_moe/layer.py", f"{LAYERS}/fused_moe/shared_fused_moe.py"):
        module = tree.parse(path)
        for node in module.body if module else ():
            if getattr(node, "name", None) in names:
                makes = [n for n in ast.walk(node) if isinstance(n, ast.FunctionDef) and n.name in {"__init__", *names}]
                found |= {a.arg for n in makes for a in (*n.args.args, *n.args.kwonlyargs)}
    return found - {"self", "kwargs"}


def _top(tree: SourceTree, path: str) -> set[str]:
    key = ("top level", path)
    if key not in tree.derived:
        module = tree.parse(path)
        tree.derived[key] = {name for node in (module.body if module else ()) for name in _bound(node)}
    return tree.derived[key]


def _bound(node: ast.stmt) -> list[str]:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [alias.asname or alias.name for alias in node.names]
    if isinstance(node, ast.Assign):
        return [t.id for t in node.targets if isinstance(t, ast.Name)]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [node.target.id]
    if isinstance(node, (ast.If, ast.Try)):
        return [name for inner in node.body for name in _bound(inner)]
    return []
