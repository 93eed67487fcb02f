"""One model file of vLLM: its classes, what they inherit, which names they read."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from .vllm_registry import module_paths
from .vllm_tree import SourceTree, mapping, text, texts

MODELS = "vllm/model_executor/models"
CONFIGS = {"config", "hf_config", "text_config", "hf_text_config"}
MAPPER_KEYS = ("orig_to_new_prefix", "orig_to_new_substr", "orig_to_new_suffix", "orig_to_new_stacked")


@dataclass
class ModelClass:
    """Attributes:
    bases: names as written. attributes: names set on `self`, with the line of each.
    mapper: rules of its `WeightsMapper`: kind → old → new (None drops the weight).
    packed: `packed_modules_mapping`. methods: name → line. uses: the names that its body mentions.
    skipped: prefixes that its loaders leave out. strings: attribute names, keyword names and short texts in its body.
    reads: fields of a configuration that it reads as plain attributes and unconditionally: they have to be there.
    """

    name: str
    path: str
    line: int
    bases: tuple[str, ...]
    attributes: dict[str, int] = field(default_factory=dict)
    mapper: dict[str, dict[str, str | None]] = field(default_factory=dict)
    packed: dict[str, list[str]] = field(default_factory=dict)
    methods: dict[str, int] = field(default_factory=dict)
    skipped: tuple[str, ...] = ()
    uses: frozenset[str] = frozenset()
    strings: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()


class Classes(Mapping[str, ModelClass]):
    """The classes of a file by name, each looked at when it is asked for."""

    def __init__(self, path: str, module: ast.Module):
        self._path = path
        self._nodes = {node.name: node for node in module.body if isinstance(node, ast.ClassDef)}
        self._known: dict[str, ModelClass] = {}

    def __getitem__(self, name: str) -> ModelClass:
        if name not in self._known:
            self._known[name] = _class(self._nodes[name], self._path)
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._nodes)

    def __len__(self) -> int:
        return len(self._nodes)


class ModelFile:
    """One file. What is asked for is read then, and kept.

    Attributes:
        path: relative to the checkout.
        classes: name → class.
    """

    def __init__(self, path: str, module: ast.Module):
        self.path, self._module = path, module
        self.classes = Classes(path, module)

    @cached_property
    def imports(self) -> dict[str, tuple[str, str]]:
        """Local name → (module with leading dots, name there)."""
        return _imports(list(ast.walk(self._module)))

    @cached_property
    def names(self) -> frozenset[str]:
        """Every identifier and text of the file, to explain keys by."""
        return _names(list(ast.walk(self._module)))


def model_file(tree: SourceTree, path: str) -> ModelFile | None:
    """Return the file at `path`, None if it is absent or no Python; the same object for each tree and path."""
    key = ("model file", path)
    if key not in tree.derived:
        module = tree.parse(path)
        tree.derived[key] = ModelFile(path, module) if module is not None else None
    return tree.derived[key]


def find_module(tree: SourceTree, module: str) -> str | None:
    """Return the file of a registry entry's module, or None."""
    return next((path for path in module_paths(module) if tree.read(path) is not None), None)


def find_class(tree: SourceTree, path: str, name: str, hops: int = 4) -> tuple[ModelFile, ModelClass] | None:
    """Return the class `name` that `path` defines or re-exports, with the file that defines it."""
    file = model_file(tree, path)
    if file is None or hops == 0:
        return None
    if name in file.classes:
        return file, file.classes[name]
    source, original = file.imports.get(name, (None, None))
    target = resolve(tree, path, source) if source else None
    return find_class(tree, target, original, hops - 1) if target else None


def lineage(tree: SourceTree, file: ModelFile, cls: ModelClass, limit: int = 12) -> list[tuple[ModelFile, ModelClass]]:
    """Return the class and its bases that vLLM's model files define, nearest first."""
    found, queue = [], [(file, cls)]
    while queue and len(found) < limit:
        here, current = queue.pop(0)
        if current.name in {c.name for _, c in found}:
            continue
        found.append((here, current))
        for base in current.bases:
            next_class = find_class(tree, here.path, base)
            if next_class and next_class[0].path.startswith((MODELS, "vllm/models")):
                queue.append(next_class)
    return found


def closure(tree: SourceTree, file: ModelFile, cls: ModelClass, limit: int = 200) -> list[tuple[ModelFile, ModelClass]]:
    """Return the class and every class of vLLM's model files that it mentions, directly or through others."""
    found: dict[tuple[str, str], tuple[ModelFile, ModelClass]] = {}
    queue = [(file, cls)]
    while queue and len(found) < limit:
        here, current = queue.pop()
        if (current.path, current.name) in found:
            continue
        found[current.path, current.name] = here, current
        for name in current.uses | set(current.bases):
            if name in here.classes:
                queue.append((here, here.classes[name]))
            elif name in here.imports and _is_model(here, name):
                other = find_class(tree, here.path, name)
                queue += [other] if other else []
    return list(found.values())


def _is_model(file: ModelFile, name: str) -> bool:
    module = file.imports[name][0]
    return module.startswith((".", "vllm.model_executor.models", "vllm.models"))


def resolve(tree: SourceTree, path: str, module: str) -> str | None:
    """Return the file that `module`, as imported in `path`, is; None outside of the tree."""
    if module.startswith("."):
        dots = len(module) - len(module.lstrip("."))
        parts = path.split("/")[:-dots]
        rest = module.lstrip(".").split(".") if module.strip(".") else []
        base = "/".join(parts + rest)
    else:
        base = module.replace(".", "/")
    return next((p for p in (f"{base}.py", f"{base}/__init__.py") if tree.read(p) is not None), None)


def _class(node: ast.ClassDef, path: str) -> ModelClass:
    cls = ModelClass(node.name, path, node.lineno, tuple(filter(None, map(_dotted, node.bases))))
    for item in node.body:
        if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)):
            cls.methods[item.name] = item.lineno
        for name, value in _assignments(item):
            if name == "packed_modules_mapping":
                cls.packed = {k: texts(v) for k, v in mapping(value).items()}
            if isinstance(value, ast.Call) and _dotted(value.func) == "WeightsMapper":
                cls.mapper = {k: _rules(v) for k, v in mapping(value).items() if k in MAPPER_KEYS}
            if not isinstance(item, ast.FunctionDef):
                cls.attributes.setdefault(name, item.lineno)
    for inner in ast.walk(node):
        for name, target in _self_targets(inner):
            cls.attributes.setdefault(name, target.lineno)
        if isinstance(inner, ast.keyword) and inner.arg in ("skip_prefixes", "ignore_unexpected_prefixes"):
            cls.skipped += tuple(texts(inner.value))
    cls.strings, cls.reads = _names(list(ast.walk(node))), _reads(node)
    cls.uses = frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name))
    return cls


def _reads(node: ast.AST) -> frozenset[str]:
    found: set[str] = set()
    queue: list[ast.AST] = [node]
    while queue:
        here = queue.pop()
        if isinstance(here, ast.Attribute) and _dotted(here.value) in CONFIGS:
            found.add(here.attr)
        # What stands under a condition is read only where the configuration asks for it.
        queue += [here.test] if isinstance(here, (ast.If, ast.IfExp)) else ast.iter_child_nodes(here)
    return frozenset(found)


def _assignments(node: ast.stmt) -> list[tuple[str, ast.expr | None]]:
    if isinstance(node, ast.Assign):
        return [(t.id, node.value) for t in node.targets if isinstance(t, ast.Name)]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [(node.target.id, node.value)]
    return []


def _self_targets(node: ast.AST) -> list[tuple[str, ast.Attribute]]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    flat = [e for t in targets for e in (t.elts if isinstance(t, ast.Tuple) else [t])]
    return [(t.attr, t) for t in flat if isinstance(t, ast.Attribute) and _dotted(t.value) == "self"]


def _rules(node: ast.expr) -> dict[str, str | None]:
    return {k: text(v) if not isinstance(v, ast.Tuple) else text(v.elts[0]) for k, v in mapping(node).items()}


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Call):
        return _dotted(node.func)
    return _dotted(node.value) if isinstance(node, ast.Subscript) else ""


def _imports(nodes: list[ast.AST]) -> dict[str, tuple[str, str]]:
    return {
        alias.asname or alias.name: ("." * node.level + (node.module or ""), alias.name)
        for node in nodes
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def _names(nodes: list[ast.AST]) -> frozenset[str]:
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.keyword) and node.arg:
            found.add(node.arg)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 120:
            found.update(node.value.split("."))
    return frozenset(found)
