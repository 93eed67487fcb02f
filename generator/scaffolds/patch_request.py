"""What somebody asks of `scaffold device-patch` and `scaffold quant-patch`."""

from __future__ import annotations

from dataclasses import dataclass

from generator.errors import ScaffoldError
from generator.spec.vendor import vendor_named

DEVICE, QUANT = "device-patch", "quant-patch"
# KV cache quantisation of the first Ascend backends; lmdeploy keeps it for old recipes only.
LEGACY = "AscendKVQuantMeta"


@dataclass(frozen=True)
class PatchRequest:
    """A request for a patch.

    Attributes:
        kind: `device-patch` or `quant-patch`.
        target: dotted name in lmdeploy, absolute or from a module's own name on.
        vendors: at least one, known.
        stack: patch what is patched already.
    """

    kind: str
    target: str
    vendors: tuple[str, ...]
    stack: bool = False

    def __post_init__(self):
        for vendor in self.vendors:
            vendor_named(vendor)
        if len(set(self.vendors)) != len(self.vendors):
            raise ScaffoldError("a vendor is given twice", next="name each vendor once")
        if LEGACY in self.target.split("."):
            raise ScaffoldError(
                f"{LEGACY} is legacy and is not patched: it reads one scale and offset a layer, or two for key and "
                "value, from the file that ASCEND_QUANT_RECORD_FILE names, and only in eager mode, KV quantisation 8",
                where="lmdeploy/lmdeploy/pytorch/backends/dlinfer/ascend/op_backend.py",
                next="a model with other KV scales needs new metadata fields (scaffold context-field) that its ops "
                "take instead of quant_meta",
            )
