"""What was computed from files, kept on disk by the content of these files.

A cache is never the truth: whatever is wrong with it (not there, not readable, cut short, edited, written by another
version) only costs the computation. Two processes may use it at once: a file is written beside and renamed.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

_KEPT = 24
_SWITCH = "SCAFFOLD_NO_CACHE"


def folder(name: str) -> Path:
    """Where the documents of one kind are kept: below `$XDG_CACHE_HOME`, or `~/.cache`."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "npu-scaffold" / name


def digest(parts: Iterable[str | bytes]) -> str:
    """One key for a sequence of texts and bytes; where one ends and the next begins counts."""
    found = hashlib.blake2b(digest_size=20)
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        found.update(len(data).to_bytes(8, "big"))
        found.update(data)
    return found.hexdigest()


def remember(name: str, key: str, compute: Callable[[], Any]) -> Any:
    """Return the JSON-able document of a key, computed only if it is not kept.

    Args:
        name: the kind of document, a folder name.
        key: from `digest`, of everything that the document depends on.
        compute: makes it.
    """
    if os.environ.get(_SWITCH):
        return compute()
    path = folder(name) / f"{key}.json"
    kept = _load(path)
    if kept is not None:
        return kept
    document = compute()
    _store(path, document)
    return document


def stamp(paths: Mapping[str, Iterable[Path]]) -> list[str]:
    """Name, size and time of files: tells that the code of this tool has changed, without reading it."""
    rows = []
    for name, files in sorted(paths.items()):
        for file in sorted(files):
            seen = os.stat(file)
            rows.append(f"{name}/{file.name}:{seen.st_size}:{seen.st_mtime_ns}")
    return rows


def _load(path: Path) -> Any:
    """The document of a file whose checksum is right, else None."""
    try:
        head, _, body = path.read_bytes().partition(b"\n")
        if head != _checksum(body):
            return None
        document = json.loads(body)
        os.utime(path)
        return document
    except (OSError, ValueError):
        return None


def _store(path: Path, document: Any) -> None:
    body = json.dumps(document, ensure_ascii=True, separators=(",", ":")).encode()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_checksum(body) + b"\n" + body)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
        _prune(path.parent)
    except OSError:
        # A cache that cannot be written is no reason to fail.
        return


def _prune(place: Path) -> None:
    """Keep the documents that were used last, and nothing of processes that died while writing."""
    files = sorted(place.glob("*.json"), key=lambda f: f.stat().st_mtime, reverse=True)
    for file in files[_KEPT:]:
        file.unlink(missing_ok=True)


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=16).hexdigest().encode()
