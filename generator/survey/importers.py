"""Which files are imported by another file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from .shelf import Shelf

# Enough to tell: an import statement that mentions a name, or a module name in a string that is imported by name.
_IMPORT = re.compile(rb"^[ \t]*(?:from[ \t]+(\S+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)|import[ \t]+([^\n]*))", re.M)
_NAMED = re.compile(rb"import_module\(\s*f?[\"'](\.?[^\"']*)[\"']")
_WORD = re.compile(rb"[A-Za-z_][\w.]*")


def is_imported(shelves: Mapping[str, Shelf], scope: Mapping[str, str], repo: str, path: str) -> bool:
    """True if another file of some folders imports a file; told by their bytes, without parsing them.

    Args:
        shelves: the checkouts by repository.
        scope: repository to the folder whose files count.
        repo, path: the file.
    """
    module = _module(path)
    stem = module.rpartition(".")[2].encode()
    for other, shelf in shelves.items():
        for reading in shelf.having(scope[other], stem):
            if (other, reading.path) != (repo, path):
                name = _module(reading.path)
                package = name if reading.is_package else name.rpartition(".")[0]
                if module in _imported(reading.data, package):
                    return True
    return False


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _imported(data: bytes, package: str) -> Iterator[str]:
    for source, names, plain in _IMPORT.findall(data):
        if plain:
            yield from (word.decode() for word in _WORD.findall(plain))
            continue
        base = _absolute(source.decode(errors="replace"), package)
        yield base
        yield from (f"{base}.{word.decode()}" for word in _WORD.findall(names))
    yield from (_absolute(name.decode(errors="replace"), package) for name in _NAMED.findall(data))


def _absolute(name: str, package: str) -> str:
    dots = len(name) - len(name.lstrip("."))
    if not dots:
        return name
    parts = package.split(".")
    return ".".join([*parts[: len(parts) - dots + 1], *([name[dots:]] if name[dots:] else [])])
