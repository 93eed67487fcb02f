"""A vendor: one record here plus one folder under `templates/`."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

from .errors import SpecError


@dataclass(frozen=True)
class Vendor:
    """What the tool knows of a device vendor.

    Attributes:
        name: the folder name under `dlinfer/vendor/`.
        title: the name people say.
        ops_file: the file of layer 4, relative to the dlinfer checkout.
        native_roots: names that a native call of this vendor starts with.
        document: where the signature of a native op is written down, for the message of a stub.
        asks_for_document: True where a terminal is asked for that document before a stub is written.
    """

    name: str
    title: str
    ops_file: str
    native_roots: tuple[str, ...]
    document: str
    asks_for_document: bool = False

    @property
    def folder(self) -> str:
        """The vendor's folder in the dlinfer checkout."""
        return self.ops_file.rpartition("/")[0]


VENDORS = {
    v.name: v
    for v in (
        Vendor(
            "ascend",
            "Ascend NPU",
            "dlinfer/vendor/ascend/torch_npu_ops.py",
            ("torch.ops.npu", "torch.ops.atb", "torch_npu"),
            "the torch_npu operator document (op-plugin, docs/zh/custom_APIs)",
            asks_for_document=True,
        ),
        Vendor(
            "camb",
            "Cambricon MLU",
            "dlinfer/vendor/camb/camb_ops.py",
            ("tmo", "torch_mlu_ops"),
            "the torch_mlu_ops document (docstrings of torch_mlu_ops/_ops.py)",
        ),
        Vendor(
            "maca",
            "MetaX GPU",
            "dlinfer/vendor/maca/maca_ops.py",
            ("ops", "op_origin", "torch.ops._C", "torch.ops._moe_C", "torch.ops._C_cache_ops", "mcoplib"),
            "the mcoplib document (schemas in its torch_bindings.cpp)",
        ),
    )
}


def vendor_named(name: str) -> Vendor:
    """Return the vendor of that name.

    Raises:
        SpecError: no such vendor; names the nearest.
    """
    if name in VENDORS:
        return VENDORS[name]
    near = get_close_matches(name, VENDORS, n=1, cutoff=0.4)
    hint = f"did you mean `{near[0]}`? " if near else ""
    raise SpecError(f"unknown vendor `{name}`", next=f"{hint}the vendors are {', '.join(VENDORS)}")
