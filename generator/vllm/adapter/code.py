"""Which modelling code tells of a checkpoint: a named model of vLLM, the checkpoint's own, or transformers' own."""

from __future__ import annotations

import ast
import difflib

from generator.errors import ScaffoldError
from generator.survey.modelling import Code, read_classes, read_modelling
from generator.survey.vllm_model import ModelClass, ModelFile, closure, find_class, find_module
from generator.survey.vllm_registry import Entry
from generator.survey.vllm_tree import SourceTree

from ..analysis.analysis import Analysis
from ..decision.checkouts import Checkouts


def find_code(analysis: Analysis, checkouts: Checkouts, like: str | None) -> Code | None:
    """Return what the code says, None where there is none or it has no decoder layer.

    Raises:
        ScaffoldError: `like` is no architecture or module of the registry.
    """
    if like is not None:
        return like_code(like, checkouts)
    return _remote(analysis) or _transformers(analysis, checkouts)


def like_code(like: str, checkouts: Checkouts) -> Code | None:
    """Return what a registered model of the checkout says.

    Raises:
        ScaffoldError: it is not registered.
    """
    return class_code(checkouts.vllm, *registered(like, checkouts)[1])


def registered(like: str, checkouts: Checkouts) -> tuple[Entry, tuple[ModelFile, ModelClass]]:
    """Return the registry's entry of a model, and its file and class.

    Raises:
        ScaffoldError: it is not registered.
    """
    tree, entries = checkouts.vllm, checkouts.registry.entries if checkouts.registry else []
    same = [e for e in entries if like in (e.arch, e.module, e.cls)]
    entry = next((e for e in same if like == e.arch or e.arch == e.cls), same[0] if same else None)
    path = find_module(tree, entry.module) if entry else None
    found = find_class(tree, path, entry.cls) if path else None
    if found is None:
        near = difflib.get_close_matches(like, [n for e in entries for n in (e.arch, e.module)], n=3)
        raise ScaffoldError(
            f"--like {like!r:.80} is no model of the registry",
            next=f"did you mean {', '.join(near)}?" if near else "give an architecture or a module",
        )
    return entry, found


def class_code(tree: SourceTree, file, cls) -> Code | None:
    """Return what a class of vLLM and every class that it is made of say."""
    classes: dict[str, ast.ClassDef] = {}
    for _, part in closure(tree, file, cls):
        module = tree.parse(part.path)
        node = next((n for n in module.body if isinstance(n, ast.ClassDef) and n.name == part.name), None)
        if node is not None:
            classes.setdefault(part.name, node)
    return read_classes(classes, {}, file.path)


def _remote(analysis: Analysis) -> Code | None:
    tree = SourceTree(analysis.checkpoint.root)
    named = [
        value.partition(".")[0].rpartition("--")[2] + ".py"
        for key, value in analysis.remote.auto_map.items()
        if key.startswith("AutoModel")
    ]
    names = [n for n in (*named, *analysis.remote.files) if n in analysis.remote.files and "configuration" not in n]
    return next((code for name in dict.fromkeys(names) if (code := read_modelling(tree, name))), None)


def _transformers(analysis: Analysis, checkouts: Checkouts) -> Code | None:
    package = checkouts.transformers
    if package is None or not analysis.architecture.isidentifier():
        return None
    found = package.modelling(analysis.architecture)
    code = read_modelling(package.tree, found[0]) if found else None
    kind = analysis.text_model_type
    if code is None and kind.isidentifier():
        # Of a model with more parts than text, the file of its language model.
        code = read_modelling(package.tree, f"transformers/models/{kind}/modeling_{kind}.py")
    return code
