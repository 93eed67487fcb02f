"""The checkouts as they would be: reads come from disk, writes stay in memory until `apply`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from generator.errors import ScaffoldError

from .paths import inside, read_file
from .places import FOLDER

if TYPE_CHECKING:
    from generator.source.text import Source


PYTHON = (".py", ".pyi")


@dataclass(frozen=True)
class Change:
    """One file that differs from the disk.

    Attributes:
        repo: name of the checkout.
        path: POSIX path inside it, without symlinks.
        before: its bytes when it was read, None if it was not there.
        after: its bytes to be, None to delete it.
    """

    repo: str
    path: str
    before: bytes | None
    after: bytes | None

    @property
    def bookkeeping(self) -> bool:
        """True for what the tool keeps for itself, which no diff shows."""
        return self.path.split("/", 1)[0] == FOLDER


class Tree:
    """An overlay over one or more checkouts. Paths are POSIX and relative to their checkout."""

    def __init__(self, roots: Mapping[str, Path]):
        """Args:
            roots: checkout name to its root folder.

        Raises:
            ScaffoldError: a root is not a folder, or two names mean the same folder.
        """
        self.roots = {repo: Path(os.path.realpath(root)) for repo, root in roots.items()}
        self._keys: dict[tuple[str, str], tuple[str, str]] = {}
        self._base: dict[tuple[str, str], bytes | None] = {}
        self._staged: dict[tuple[str, str], bytes | None] = {}
        self._sources: dict[tuple[str, str], Source] = {}
        self.pruned: list[tuple[str, str]] = []
        for repo, root in self.roots.items():
            if not root.is_dir():
                raise ScaffoldError(f"the {repo} checkout is not a folder", where=str(roots[repo]))
        if len(set(self.roots.values())) < len(self.roots):
            raise ScaffoldError(f"{' and '.join(self.roots)} must be different checkouts", where=str(roots[repo]))

    def read(self, repo: str, path: str) -> bytes | None:
        """Return the bytes as they would be, or None if there would be no such file.

        Raises:
            ScaffoldError: the path leaves the checkout, is no regular file, or cannot be read.
        """
        key = self._key(repo, path)
        if key in self._staged:
            return self._staged[key]
        if key not in self._base:
            self._base[key] = read_file(self.roots[repo] / key[1], f"{repo}/{path}")
        return self._base[key]

    def write(self, repo: str, path: str, data: bytes) -> None:
        """Stage the file's bytes."""
        self._stage(repo, path, data)

    def delete(self, repo: str, path: str) -> None:
        """Stage the file's removal."""
        self._stage(repo, path, None)

    def source(self, repo: str, path: str) -> Source:
        """Return the file parsed, as it would be; one that is no Python as `Plain`.

        Raises:
            ScaffoldError: there is no such file.
            Unparsable: it is not Python.
        """
        from generator.source.plain import Plain
        from generator.source.text import Source

        key = self._key(repo, path)
        if key not in self._sources:
            data = self.read(repo, path)
            if data is None:
                raise ScaffoldError(f"{repo} has no file {path}", where=f"{repo}/{path}")
            self._sources[key] = Source.parse(data, path) if path.endswith(PYTHON) else Plain(path, data)
        return self._sources[key]

    def put(self, repo: str, path: str, source: Source) -> None:
        """Stage a parsed file; the next `source` gives this very object."""
        self.write(repo, path, source.data)
        self._sources[self._key(repo, path)] = source

    def prune(self, repo: str, folder: str) -> None:
        """Have `apply` remove this folder if it is empty then."""
        self.pruned.append(self._key(repo, folder))

    def changes(self) -> list[Change]:
        """Return what differs from the disk, by checkout and path."""
        order = list(self.roots)
        found = [Change(repo, path, self._base[repo, path], data) for (repo, path), data in self._staged.items()]
        return sorted(
            (change for change in found if change.before != change.after),
            key=lambda change: (order.index(change.repo), change.path),
        )

    def moved(self) -> list[str]:
        """Return the files (`repo/path`) whose bytes on disk, or whose place, are not what was read any more."""
        return [f"{repo}/{path}" for (repo, path), data in self._base.items() if not self._still(repo, path, data)]

    def files(self, repo: str, folder: str) -> Iterator[str]:
        """Yield the files below a folder as they would be, but no symlink and nothing behind one."""
        found = set(self._on_disk(repo, folder))
        below = [path for owner, path in self._staged if owner == repo and path.startswith(f"{folder}/")]
        found.update(path for path in below if self._staged[repo, path] is not None)
        yield from sorted(found - {path for path in below if self._staged[repo, path] is None})

    def _on_disk(self, repo: str, folder: str) -> Iterator[str]:
        root = self.roots[repo]
        if self._key(repo, folder)[1] == folder:
            for place in (root / folder).rglob("*"):
                if place.is_file() and os.path.realpath(place) == str(place):
                    yield place.relative_to(root).as_posix()

    def empty(self, repo: str, folder: str) -> bool:
        """Tell whether a folder that is on disk would hold nothing after the staged changes."""
        top = self.roots[repo] / self._key(repo, folder)[1]
        gone = {path for (owner, path), data in self._staged.items() if owner == repo and data is None}
        gone |= {path for owner, path in self.pruned if owner == repo}
        kept = (entry.relative_to(self.roots[repo]).as_posix() for entry in top.iterdir())
        new = (path for (owner, path), data in self._staged.items() if owner == repo and data is not None)
        return all(path in gone for path in kept) and not any(path.startswith(f"{folder}/") for path in new)

    def exists(self, repo: str, path: str) -> bool:
        """Tell whether a file or folder is there on disk."""
        return (self.roots[repo] / self._key(repo, path)[1]).exists()

    def _stage(self, repo: str, path: str, data: bytes | None) -> None:
        self.read(repo, path)
        key = self._key(repo, path)
        self._staged[key] = data
        self._sources.pop(key, None)

    def _still(self, repo: str, path: str, data: bytes | None) -> bool:
        try:
            return inside(self.roots[repo], repo, path) == path and read_file(self.roots[repo] / path, path) == data
        except ScaffoldError:
            return False

    def _key(self, repo: str, path: str) -> tuple[str, str]:
        if (repo, path) not in self._keys:
            if repo not in self.roots:
                raise ScaffoldError(f"no {repo} checkout is known here", next=f"give it with --{repo} DIR")
            self._keys[repo, path] = (repo, inside(self.roots[repo], repo, path))
        return self._keys[repo, path]
