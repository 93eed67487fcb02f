"""Which files are imported by another file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from .shelf import Shelf

# Enough to tell: an import statement that mentions a name, or a module name in a string that is imported by name.
_IMPORT = re.compile(rb"^[ \t]*(?:from[ \t]+(\S+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)|import[ \t]+([^\n]*))", re.M)
_NAMED = re.compile(rb"import_module\(\s*f?[\"'](\.?[^\"']*)[\"']")
_WORD = re.compile(rb"[A-Za-z_][\w.]*")


def importers(shelves: Mapping[str, Shelf], scope: Mapping[str, str]) -> Counter[tuple[str, str]]:
    """How often each file of some folders is imported by another one; by their bytes, without parsing them.

    Args:
        shelves: the checkouts by repository.
        scope: repository to the folder whose files count.
    """
    known = {
        path.removesuffix(".py").removesuffix("/__init__").replace("/", "."): (repo, path)
        for repo, shelf in shelves.items()
        for path in shelf.list(scope[repo])
    }
    counts: Counter[tuple[str, str]] = Counter()
    for module, (repo, path) in known.items():
        reading = shelves[repo].open(path)
        package = module if path.endswith("/__init__.py") else module.rpartition(".")[0]
        for name in _imported(reading.data, package) if reading else ():
            if name in known and known[name] != (repo, path):
                counts[known[name]] += 1
    return counts


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
