"""The lists of vLLM that a new model is easily left out of, each found where this checkout keeps it."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from .vllm_tree import SourceTree, assigned, function, mapping, texts

CONVERTORS = "vllm/transformers_utils/model_arch_config_convertor.py"
CONFIG = "vllm/transformers_utils/config.py"
CONFIGS = "vllm/transformers_utils/configs/__init__.py"
PROCESSORS = "vllm/transformers_utils/processors/__init__.py"
MODEL_CONFIG = ("vllm/config/model.py", "vllm/config/__init__.py", "vllm/config.py")
SPECULATIVE = ("vllm/config/speculative.py", "vllm/config/__init__.py", "vllm/config.py")
MODELS_CONFIG = "vllm/model_executor/models/config.py"


@dataclass(frozen=True)
class Listed:
    """Names in one list, and where the list is; `line` 0 and no path if this checkout has no such list."""

    names: tuple[str, ...] = ()
    path: str | None = None
    line: int = 0

    def __contains__(self, name: object) -> bool:
        return name in self.names


@dataclass(frozen=True)
class Lists:
    """Attributes:
    mla_types: `model_type`s whose cache holds latents.
    convertors: `model_type`s with a config convertor of their own.
    configs: `model_type`s with a configuration class in vLLM; config_classes, processor_classes: their exports.
    mtp_types: names of speculative methods; override: texts that `hf_config_override` compares with.
    suffixes: (suffix, runner, convert) in the order in which they are tried.
    adjusted: architectures whose configuration vLLM changes at start.
    """

    mla_types: Listed = Listed()
    convertors: Listed = Listed()
    configs: Listed = Listed()
    config_classes: Listed = Listed()
    processor_classes: Listed = Listed()
    mtp_types: Listed = Listed()
    override: Listed = Listed()
    adjusted: Listed = Listed()
    suffixes: tuple[tuple[str, str, str], ...] = field(default=())


def read_lists(tree: SourceTree) -> Lists:
    """Return the lists of a vLLM checkout; those that it does not have are empty."""
    return Lists(
        mla_types=_mla_types(tree),
        convertors=_dict(tree, CONVERTORS, "MODEL_ARCH_CONFIG_CONVERTORS"),
        configs=_dict(tree, CONFIG, "_CONFIG_REGISTRY"),
        config_classes=_exports(tree, CONFIGS),
        processor_classes=_exports(tree, PROCESSORS),
        mtp_types=_first(tree, SPECULATIVE, lambda t: assigned(t, "MTPModelTypes")),
        override=_first(tree, SPECULATIVE, lambda t: function(t, "hf_config_override")),
        adjusted=_dict(tree, MODELS_CONFIG, "MODELS_CONFIG_MAP"),
        suffixes=_suffixes(tree),
    )


def _mla_types(tree: SourceTree) -> Listed:
    for path in (CONVERTORS, *MODEL_CONFIG):
        found = function(tree.parse(path), "is_deepseek_mla")
        tests = [n for n in ast.walk(found) if isinstance(n, ast.Compare)] if found else []
        member = next((n for n in tests if _is_membership(n)), None)
        if member:
            return Listed(tuple(texts(member.comparators[0])), path, member.lineno)
    return Listed()


def _is_membership(node: ast.Compare) -> bool:
    return isinstance(node.ops[0], ast.In) and isinstance(node.comparators[0], (ast.Tuple, ast.List, ast.Set))


def _dict(tree: SourceTree, path: str, name: str) -> Listed:
    value = assigned(tree.parse(path), name)
    return Listed(tuple(mapping(value)), path, value.lineno) if value is not None else Listed()


def _exports(tree: SourceTree, path: str) -> Listed:
    module = tree.parse(path)
    value = assigned(module, "__all__")
    return Listed(tuple(texts(value)), path, value.lineno) if value is not None else Listed()


def _first(tree: SourceTree, paths: tuple[str, ...], find) -> Listed:
    for path in paths:
        node = find(tree.parse(path))
        if node is not None:
            return Listed(tuple(texts(node)), path, node.lineno)
    return Listed()


def _suffixes(tree: SourceTree) -> tuple[tuple[str, str, str], ...]:
    for path in MODEL_CONFIG:
        value = assigned(tree.parse(path), "_SUFFIX_TO_DEFAULTS")
        if isinstance(value, ast.List):
            rows = [texts(item) for item in value.elts]
            return tuple((row[0], row[1], row[-1]) for row in rows if len(row) >= 2)
    return ()


def draft_convertors(tree: SourceTree) -> dict[str, str]:
    """Return field → the first convertor class that reads the number of draft layers from it, with no other rule."""
    found: dict[str, str] = {}
    for node in (tree.parse(CONVERTORS) or ast.Module([], [])).body:
        if isinstance(node, ast.ClassDef) and "MTP" in node.name and len(node.body) == 1:
            method = function(node, "get_num_hidden_layers")
            names = texts(method) if method and len(method.body) == 1 else []
            if len(names) == 1:
                found.setdefault(names[0], node.name)
    return found
