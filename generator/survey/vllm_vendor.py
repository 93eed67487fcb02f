"""Configuration and processor modules of a transformers package, ready to stand in vLLM: imports made absolute."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from .vllm_tree import SourceTree, assigned, text

RELATIVE = re.compile(r"^(\s*from )(\.+)([\w.]*)( import\b)", re.M)


@dataclass(frozen=True)
class Vendored:
    """Attributes:
    source: path in the package. text: its text, only relative imports changed. cls: the class to register.
    own: modules beside it that it imports, which the pinned package does not have either.
    """

    source: str
    text: str
    cls: str
    own: tuple[str, ...] = ()


def vendor(tree: SourceTree, model_type: str, kind: str) -> Vendored | None:
    """Return `configuration_<type>.py` or `processing_<type>.py` of the package, None if it has no such module.

    Args:
        kind: `configuration` or `processing`.
    """
    folder = model_type.replace("-", "_")
    path = f"transformers/models/{folder}/{kind}_{folder}.py"
    module, data = tree.parse(path), tree.read(path)
    cls = _class(module, model_type, kind) if module else None
    if data is None or cls is None:
        return None
    here = path.split("/")[:-1]
    own: list[str] = []

    def absolute(match: re.Match[str]) -> str:
        start, dots, name, rest = match.groups()
        package = here[: len(here) - len(dots) + 1]
        if package == here and name:
            own.append(name)
        return start + ".".join([*package, *([name] if name else [])]) + rest

    written = RELATIVE.sub(absolute, data.decode("utf-8", "surrogateescape"))
    return Vendored(path, written, cls, tuple(own))


def _class(module: ast.Module, model_type: str, kind: str) -> str | None:
    classes = [n for n in module.body if isinstance(n, ast.ClassDef)]
    if kind == "processing":
        return next((c.name for c in classes if c.name.endswith("Processor")), None)
    return next((c.name for c in classes if text(assigned(ast.Module(c.body, []), "model_type")) == model_type), None)
