"""Layer 1 of an op whose OpType lmdeploy has: the abstract Impl's methods, bound to the kernel wrapper by name."""

from __future__ import annotations

import re
from typing import Any

from generator.spec.op import OpSpec
from generator.survey.impls import Method
from generator.survey.signature import KEYWORD_ONLY, PLAIN, VAR_KEYWORD, Param

from .op_impl_signature import main_method
from .op_sight import OpSight

# What lmdeploy's layers call what dlinfer's ops call otherwise.
_SYNONYMS = (("x", "hidden_states", "input_tensor", "input"), ("eps", "epsilon"), ("topk", "top_k"))
_PORTABLE = re.compile(r"(torch\.\w+|int|float|bool|str|None|tuple|list|dict|[\[\]|, .])+")
_LITERAL = re.compile(r"None|True|False|-?[\d.]+(e-?\d+)?|'[^'\\]*'|\"[^\"\\]*\"|\(\)|torch\.\w+")


def existing_impl(sight: OpSight, spec: OpSpec) -> dict[str, Any]:
    """The answer `abstract`: classes, module, builder parameters, and each method with the wrapper's arguments.

    A method whose parameters do not name all that the wrapper needs has None for its arguments: it becomes a stub.
    """
    found = sight.type_picture
    if not found or not found.abstract_impl or not found.abstract_builder:
        return {}
    impl, builder = found.abstract_impl, found.abstract_builder
    build = builder.methods.get("build")
    params = [p for p in build.signature.without_self().params if p.kind != VAR_KEYWORD] if build else []
    stored = [p.name for p in params]
    main = main_method(impl)
    methods = [m for m in impl.methods.values() if m.abstract or m is main]
    return {
        "impl": impl.name,
        "builder": builder.name,
        "module": impl.path.rpartition("/")[2].removesuffix(".py"),
        "build": _texts(params),
        "stored": stored,
        "methods": [_method(m, m is main, spec, stored) for m in methods],
    }


def _method(method: Method, is_main: bool, spec: OpSpec, stored: list[str]) -> dict[str, Any]:
    params = list(method.signature.without_self().params)
    args = _bind(spec, [p.name for p in params], stored) if is_main else None
    return {"name": method.name, "params": _texts(params), "args": args}


def _bind(spec: OpSpec, names: list[str], stored: list[str]) -> list[str] | None:
    """The wrapper's arguments, by name or synonym; None if one that has no default finds nothing."""
    args: list[str] = []
    skipped = False
    for param in spec.params:
        here = _called(param.name, names)
        kept = _called(param.name, stored)
        value = here or (f"self.{kept}" if kept else None)
        if value is None and param.default is None:
            return None
        if value is None:
            skipped = True
        else:
            args.append(f"{param.name}={value}" if skipped else value)
    return args


def _called(name: str, names: list[str]) -> str | None:
    if name in names:
        return name
    group = next((g for g in _SYNONYMS if name in g), ())
    return next((n for n in group if n in names), None)


def _texts(params: list[Param]) -> list[str]:
    texts: list[str] = []
    for p in params:
        if p.kind == KEYWORD_ONLY and "*" not in texts:
            texts.append("*")
        texts.append(_text(p))
    return texts


def _text(param: Param) -> str:
    """The parameter without what another module may not know: annotations and defaults of foreign names."""
    annotation = param.annotation if param.annotation and _PORTABLE.fullmatch(param.annotation) else None
    default = param.default if param.default and _LITERAL.fullmatch(param.default) else None
    if default and default.startswith('"'):
        default = f"'{default[1:-1]}'"
    if param.default and not default:
        default = "None"
    return str(Param(param.name, annotation, default, PLAIN if param.kind == KEYWORD_ONLY else param.kind))
