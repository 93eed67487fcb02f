"""Fragment files: the text of one insertion, and lines above it that say where it belongs.

    #@ insert: elif-branch
    #@ path: lmdeploy/pytorch/backends/dlinfer/op_backend.py
    #@ layer: 1
    #@ scope: DlinferOpsBackend.get_layer_impl_builder
    elif layer_type == OpType.RMSNormGated:
        …

`insert`, `path`, `layer`, `note`, `what` and `name` are the fragment's own keys; every other key is a field of the
insertion, and so is the text below the header (`text`). A kind without a text has an empty one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields

from .base import Insertion
from .dialect import tidy
from .errors import SourceError
from .registry import KINDS, insertion_from, to_dict

_HEADER = re.compile(r"#@ ?([a-z_]+):[ \t]*(.*?)[ \t]*")
_OWN = ("insert", "path", "layer", "note", "what", "name")


@dataclass(frozen=True)
class Fragment:
    """One insertion into one file.

    Attributes:
        insertion: what is inserted, and where in the file.
        path: the file, relative to its checkout, with `/`.
        layer: the layer that it belongs to, for the reader, or None.
        note: a remark for the reader, or None.
        what: the sort of thing that it is, such as `dispatcher branch`, or None.
        name: how a plan calls it instead of the insertion's own name, or None.
    """

    insertion: Insertion
    path: str
    layer: str | None = None
    note: str | None = None
    what: str | None = None
    name: str | None = None

    @classmethod
    def parse(cls, text: str, where: str) -> Fragment:
        """Read a fragment file.

        Args:
            text: its content.
            where: its path, for messages.

        Raises:
            SourceError: a broken header line, an unknown or missing key, or text where the kind has none.
        """
        header, body = _split(text, where)
        for key in ("insert", "path"):
            if not header.get(key):
                raise SourceError(f"the fragment has no `#@ {key}:` line", where=where, next="add it at the top")
        own = {key: header.pop(key, None) for key in _OWN}
        kind = own["insert"] or ""
        if body:
            if kind in KINDS and "text" not in {field.name for field in fields(KINDS[kind])}:
                raise SourceError(f"`{kind}` takes no text", where=where, next="leave only the `#@` lines")
            header["text"] = body
        try:
            insertion = insertion_from(kind, header)
        except SourceError as error:
            raise SourceError(error.what, where=where, next=error.next) from error
        return cls(insertion, own["path"] or "", own["layer"], own["note"], own["what"], own["name"])

    def __str__(self) -> str:
        values = to_dict(self.insertion)
        body = values.pop("text", "")
        header = {"insert": values.pop("kind"), "path": self.path, "layer": self.layer, "note": self.note}
        header |= {"what": self.what, "name": self.name, **values}
        lines = [f"#@ {key}: {value}".rstrip() for key, value in header.items() if value is not None]
        return "\n".join(lines) + "\n" + (f"{tidy(body)}\n" if body else "")


def _split(text: str, where: str) -> tuple[dict[str, str], str]:
    """Return the header's keys and the text below it."""
    header: dict[str, str] = {}
    lines = tidy(text).split("\n")
    for number, line in enumerate(lines):
        if not line.startswith("#@"):
            return header, tidy("\n".join(lines[number:]))
        match = _HEADER.fullmatch(line)
        if not match:
            raise SourceError(f"not a `#@ key: value` line: {line}", where=where, next="correct it")
        key, value = match.groups()
        if key in header:
            raise SourceError(f"`#@ {key}:` stands there twice", where=where, next="leave one")
        header[key] = value
    return header, ""
