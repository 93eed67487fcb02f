"""Which names an insertion needs that its file may not import yet; one fragment for each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .op import OpView

_BACKENDS = "lmdeploy/pytorch/backends"


@dataclass(frozen=True)
class Needed:
    """One name that a file must import.

    Attributes:
        path: the file, relative to the checkout.
        module: as written in the import.
        item: the imported name, or an empty string for `import module`.
        layer: of the insertion that needs it.
        width: the longest line of that file.
    """

    path: str
    module: str
    item: str
    layer: int
    width: int

    @property
    def slug(self) -> str:
        """A file name for its fragment, unique within a layer."""
        folder, _, stem = self.path.removesuffix(".py").rpartition("/")
        return f"{folder.rpartition('/')[2]}-{stem}-{self.item or self.module}"


def needed_imports(op: OpView, layer: int) -> Iterator[Needed]:
    """The imports that the insertions of one layer need; new files write their own."""
    pick = {0: _layer0, 1: _layer1, 3: _layer3, 4: _layer4}.get(layer)
    width = op.columns if layer < 3 else 88
    for path, module, item in pick(op) if pick else ():
        yield Needed(path, module, item, layer, width)


def _layer0(op: OpView) -> Iterator[tuple[str, str, str]]:
    appends, module = op.answers["appends_to"], op.answers["module"]
    if "abstract" in appends:
        path = f"{_BACKENDS}/{module}.py"
        yield from ((path, "abc", n) for n in ("ABC", "abstractmethod"))
        if op.impl.uses_torch:
            yield path, "torch", ""
    if "default" in appends:
        path = f"{_BACKENDS}/default/{module}.py"
        yield from ((path, f"..{module}", n) for n in (op.impl.builder, op.impl.base))
        if op.impl.default_uses_torch:
            yield path, "torch", ""
    if "nn" in appends:
        path = f"lmdeploy/pytorch/nn/{op.answers['nn_module']}.py"
        yield from ((path, "..backends", n) for n in ("OpType", "get_backend"))
        yield path, "torch", "nn"
        if op.impl.nn_uses_torch:
            yield path, "torch", ""


def _layer1(op: OpView) -> Iterator[tuple[str, str, str]]:
    if "dlinfer" not in op.answers["appends_to"]:
        return
    path = f"{_BACKENDS}/dlinfer/{op.answers['module']}.py"
    yield path, "lmdeploy.pytorch.kernels.dlinfer", op.name
    yield from ((path, f"..{op.impl.module}", n) for n in (op.impl.builder, op.impl.base))
    if op.impl.uses_torch:
        yield path, "torch", ""


def _layer3(op: OpView) -> Iterator[tuple[str, str, str]]:
    path = "dlinfer/ops/llm.py"
    yield path, "dlinfer.vendor", "vendor_ops_registry"
    yield from ((path, "dlinfer.utils.type_annotation", n) for n in op.annotation_imports)
    if op.is_custom_op:
        yield path, op.profile["custom_op"], "register_custom_op"
        if op.profile["decorator"] == "two" and op.defaults:
            yield path, op.profile["custom_op"], "register_custom_op_default_value"
    if op.uses_torch:
        yield path, "torch", ""


def _layer4(op: OpView) -> Iterator[tuple[str, str, str]]:
    path, helper = op.vendor.ops_file, op.answers["helper_module"]
    yield path, "dlinfer.vendor", "vendor_ops_registry"
    yield path, "dlinfer.utils.registry", "register_ops"
    yield from ((path, "dlinfer.utils.type_annotation", n) for n in op.annotation_imports)
    if helper:
        yield path, f".{helper}", f"{op.name}_impl"
    if op.body_uses_torch and not helper:
        yield path, "torch", ""
    if op.appends_helper:
        path = f"{op.vendor.folder}/{helper}.py"
        yield from ((path, "dlinfer.utils.type_annotation", n) for n in op.annotation_imports)
        if op.body_uses_torch:
            yield path, "torch", ""
