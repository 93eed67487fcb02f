"""Which vendor's graph file has which buffer: a family that one has and another lacks is frozen at capture there."""

from __future__ import annotations

from dataclasses import dataclass

from generator.spec.vendor import VENDORS
from generator.survey.graph_records import GraphBuffer
from generator.workspace.checkout import Workspace

from .graph_sight import GraphSight

_SCHEMA = {"name": "scaffold/parity", "version": 1}
_REFERENCE = "lmdeploy"


@dataclass(frozen=True)
class Parity:
    """The table.

    Attributes:
        columns: the vendors with a graph file, and `lmdeploy` for its own mixin.
        buffers: field to column to buffer, where there is one.
    """

    columns: tuple[str, ...]
    buffers: dict[str, dict[str, GraphBuffer]]

    @property
    def rows(self) -> list[list[str]]:
        """Field, owner, and one cell for each column."""
        return [
            [name, _owner(own), *(_cell(own.get(column)) for column in self.columns)]
            for name, own in self.buffers.items()
        ]

    @property
    def missing(self) -> list[str]:
        """How to port each buffer that some vendors have and others lack."""
        lines = []
        for name, own in self.buffers.items():
            have = [v for v in self.columns if v in own and v != _REFERENCE]
            lack = [v for v in self.columns if v not in own and v != _REFERENCE]
            if have and lack:
                options = " ".join(f"--vendor {v}" for v in lack)
                command = f"scaffold graph-buffer {name} {options} --like {have[0]}"
                lines.append(f"{name} is missing on {', '.join(lack)}: {command}")
        return lines

    def to_json(self) -> dict:
        """The table as a document."""
        fields = {
            name: {"owner": _owner(own), "vendors": {c: _json(own.get(c)) for c in self.columns}}
            for name, own in self.buffers.items()
        }
        return {"schema": dict(_SCHEMA), "command": "graph-buffer --parity", "exit": 0, "fields": fields}


def parity(workspace: Workspace, field: str | None = None) -> Parity:
    """Compare the graph files of all vendors, and lmdeploy's own.

    Args:
        field: only this buffer.
    """
    sight = GraphSight(workspace, field or "")
    files = {v: sight.files[v] for v in VENDORS if v in sight.files}
    names = dict.fromkeys(name for file in files.values() for name in file.buffers)
    if field:
        names = {field: None}
    if sight.mixin:
        files[_REFERENCE] = sight.mixin
    rows = {n: {v: f.buffers[n] for v, f in files.items() if n in f.buffers} for n in names}
    return Parity(tuple(files), rows)


def _owner(own: dict[str, GraphBuffer]) -> str:
    return next((b.owner for b in own.values() if b.owner), "-")


def _cell(buffer: GraphBuffer | None) -> str:
    if buffer is None:
        return "-"
    make = buffer.makes[0] if buffer.makes else None
    if make is None or not make.size:
        return "yes"
    return f"({', '.join(make.size)}) {make.dtype or ''}".strip()


def _json(buffer: GraphBuffer | None) -> dict | None:
    if buffer is None:
        return None
    make = buffer.makes[0] if buffer.makes else None
    size, dtype, value = (list(make.size), make.dtype, make.value) if make else ([], None, None)
    return {"line": buffer.line, "size": size, "dtype": dtype, "value": value, "when": buffer.condition}
