"""What checkouts of different eras look like, in small texts of our own that have the form and nothing else.

The commits beside each form are those of the real histories on which the probes were run and gave the same profile.
"""

from __future__ import annotations

from pathlib import Path

DEEPLINK = "# Copyright (c) 2024, DeepLink. All rights reserved.\n"
OPENMMLAB = "# Copyright (c) OpenMMLab. All rights reserved.\n"

NAMELESS_KEY = """\
import sys
from infer_ext.vendor import vendor_ops_registry


def swap(x, y):
    func_name = sys._getframe().f_code.co_name
    return vendor_ops_registry[func_name](x, y)

def flip(x):
    func_name = sys._getframe().f_code.co_name
    return vendor_ops_registry[func_name](x)
"""
UNFORMATTED = """\
from dlinfer.vendor import vendor_ops_registry
from dlinfer.utils.type_annotation import Tensor, Optional
from dlinfer.utils.graph.custom_op import \\
    register_custom_op, register_custom_op_default_value


@register_custom_op("dlinfer::swap",
                    ["x"])
def swap(x: Tensor, y: Tensor) -> Tensor:
    return vendor_ops_registry["swap"](
        x, y
    )

@register_custom_op_default_value({
    'scale': None,
})
@register_custom_op("dlinfer::flip", ["x"])
def flip(x: Tensor, scale: Optional[float]) -> Tensor:
    return vendor_ops_registry["flip"](x, scale)

@register_custom_op("dlinfer::turn", ["x"])
def turn(x: Tensor) -> Tensor:
    return vendor_ops_registry["turn"](x)
"""
TWO = """\
from dlinfer.vendor import vendor_ops_registry
from dlinfer.utils.type_annotation import Tensor, Optional
from dlinfer.utils.graph.custom_op import (
    register_custom_op,
    register_custom_op_default_value,
)


@register_custom_op("dlinfer::swap", ["x"])
def swap(x: Tensor, y: Tensor) -> Tensor:
    return vendor_ops_registry["swap"](x, y)


@register_custom_op_default_value(
    {
        "scale": None,
    }
)
@register_custom_op("dlinfer::flip", ["x"])
def flip(x: Tensor, scale: Optional[float]) -> Tensor:
    return vendor_ops_registry["flip"](x, scale)
"""
ONE = '''\
import torch
from dlinfer.vendor import vendor_ops_registry
from dlinfer.utils.type_annotation import Tensor, Optional
from dlinfer.graph.custom_op import register_custom_op


@register_custom_op("dlinfer::flip", ["x"], default_value={"scale": None})
def flip(
    x: Tensor,
    scale: Optional[float],
) -> Tensor:
    """
    Turn the input over.
    """
    return vendor_ops_registry["flip"](x, scale)


"""
@register_custom_op_default_value({"scale": None})
"""
'''
TYPES = "from typing import Optional, Sequence\nfrom torch import Tensor\nfrom enum import auto\n"
MOE_TYPES = TYPES + "\n\nclass MoeMetadata:\n    pass\n\n\nscale_type = Tensor\n"


def dlinfer(root: Path, ops: str, *, package="dlinfer", types=TYPES, vendors=("ascend",), newline="\n") -> Path:
    """Write a dlinfer checkout: `ops` is its layer 3."""
    headers = {"ascend": DEEPLINK, "camb": "import math\n", "maca": "import os\n"}
    files = {"torch_npu_ops.py": "ascend", "camb_ops.py": "camb", "maca_ops.py": "maca"}
    texts = {f"vendor/{v}/{name}": headers[v] for name, v in files.items() if v in vendors}
    for path, text in {"ops/llm.py": ops, "utils/type_annotation.py": types, **texts}.items():
        write(root / package / path, text.replace("\n", newline))
    return root


def lmdeploy(
    root: Path,
    *,
    annotation: str = "x: Tensor | None",
    docstring: str = "Own layer backend.",
    wide: bool = True,
    attention: str = "PagedAttention",
    packages: tuple[str, ...] = ("linear", "moe"),
    vendors: tuple[str, ...] = ("ascend", "camb", "maca"),
    backend: str | None = "dlinfer",
    newline: str = "\n",
) -> Path:
    """Write an lmdeploy checkout; `backend` None is one from before there were backends."""
    pytorch = root / "lmdeploy/pytorch"
    write(pytorch / "__init__.py", OPENMMLAB)
    if backend is None:
        return root
    long = f"    def long_one(self, {', '.join('abcdefgh' * 3)}):\n        pass\n" if wide else ""
    files = {
        "backends/base.py": OPENMMLAB + f"# taken from\n\nclass OpType(Enum):\n    {attention} = auto()\n",
        f"backends/{backend}/op_backend.py": OPENMMLAB
        + f'class Backend:\n    """{docstring}"""\n\n    name = \'own\'\n\n{long}',
        f"backends/{backend}/norm.py": OPENMMLAB + f'def f({annotation}):\n    """build."""\n',
    }
    files |= {f"backends/{backend}/{vendor}/op_backend.py": OPENMMLAB for vendor in vendors}
    files |= {f"nn/{name}/__init__.py": OPENMMLAB for name in packages} | {"nn/norm.py": OPENMMLAB}
    for path, text in files.items():
        write(pytorch / path, text.replace("\n", newline))
    return root


def write(path: Path, text: str) -> None:
    """Write a file with the very newlines of `text`, making its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
