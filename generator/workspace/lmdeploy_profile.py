"""What an lmdeploy checkout was found to be, by looking at its files."""

from __future__ import annotations

import os
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from generator.errors import ScaffoldError

from .checkout import Checkout
from .style import annotations_of, bytes_of, columns_of, docstrings_of, header_of, newline_of, quotes_of

BACKENDS = "lmdeploy/pytorch/backends"
DISPATCHER = f"{BACKENDS}/dlinfer/op_backend.py"
_KERNELS = "lmdeploy/pytorch/kernels/dlinfer"
_NN = "lmdeploy/pytorch/nn"
_OLDEST = "2024-10-18"
_ATTENTION = re.compile(rb"^    (PagedAttention|Attention) = ", re.M)
_BUILD_SPEC = re.compile(rb"^class BuildSpec\b", re.M)


@dataclass(frozen=True)
class LmdeployProfile:
    """An lmdeploy checkout. Every value is plain JSON, so that it can be an answer.

    Attributes:
        columns: 79 (before 2025-01-21) or 120.
        quotes: `single` or `double`.
        annotations: `typing` (before 2026-03-24) or `pipe`.
        docstrings: `lower` (before 2025-06-02) or `capital`.
        newline: `lf` or `crlf`.
        header: comment lines that its files begin with.
        attention_op: the `OpType` of attention, `Attention` (before 2024-12-13) or `PagedAttention`.
        nn_packages: what in `nn/` is a package and no module: `linear` since 2025-07-07, `moe` since 2025-11-28.
        vendors: vendors that have a folder under `backends/dlinfer`.
    """

    columns: int
    quotes: str
    annotations: str
    docstrings: str
    newline: str
    header: tuple[str, ...]
    attention_op: str
    nn_packages: tuple[str, ...]
    vendors: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """The profile as JSON values."""
        return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}


def probe_lmdeploy(checkout: Checkout) -> LmdeployProfile:
    """Look at the files of an lmdeploy checkout.

    Raises:
        ScaffoldError: it is from before 18 October 2024, or has no `OpType` (as lmdeploy since release 0.18).
    """
    root = checkout.root
    _check_age(root)
    attention_op = _attention_op(root / BACKENDS / "base.py")
    own, abstract, kernels = (_files(root / f) for f in (f"{BACKENDS}/dlinfer", BACKENDS, _KERNELS))
    every = [*own, *abstract, *kernels]
    return LmdeployProfile(
        columns=columns_of(every),
        quotes=quotes_of(own + kernels),
        annotations=annotations_of(every),
        docstrings=docstrings_of(own),
        newline=newline_of(own + kernels),
        header=header_of(every),
        attention_op=attention_op,
        nn_packages=_folders(root / _NN, "__init__.py"),
        vendors=_folders(root / BACKENDS / "dlinfer", "op_backend.py"),
    )


def _check_age(root: Path) -> None:
    if (root / DISPATCHER).is_file():
        return
    if (root / BACKENDS / "ascend/op_backend.py").is_file():
        why = "its backend is still backends/ascend (September to October 2024)"
    elif not (root / BACKENDS).is_dir():
        why = "it has no backends/ yet (before September 2024)"
    else:
        raise ScaffoldError(f"this lmdeploy checkout has no {DISPATCHER}", where=str(root), next="restore the file")
    raise ScaffoldError(
        f"this lmdeploy checkout is from before {_OLDEST}: {why}",
        where=str(root / BACKENDS),
        next=f"update lmdeploy to a commit of {_OLDEST} or later (release 0.6.2)",
    )


def _attention_op(base: Path) -> str:
    data = bytes_of(base) or b""
    if found := _ATTENTION.search(data):
        return found[1].decode()
    if _BUILD_SPEC.search(data):
        raise ScaffoldError(
            "this lmdeploy checkout is newer than what is known here: it has no OpType, and its backends build an "
            "operator from a BuildSpec (since September 2026, release 0.18)",
            where=str(base),
            next="use an lmdeploy up to release 0.17, or a newer scaffold",
        )
    raise ScaffoldError(
        "this lmdeploy checkout has no OpType with an attention member",
        where=str(base),
        next="check out an lmdeploy release",
    )


def _files(folder: Path) -> list[bytes]:
    """The Python files of a folder, without its subfolders and without empty ones."""
    return [data for path in sorted(folder.glob("*.py")) if (data := bytes_of(path)) and data.strip()]


def _folders(folder: Path, holding: str) -> tuple[str, ...]:
    names = sorted(os.listdir(folder)) if folder.is_dir() else []
    return tuple(name for name in names if (folder / name / holding).is_file())
