"""A checkout, the set of them that a command works on, and what a folder is recognised by."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Repo:
    """One of the repositories that the tool works in.

    Attributes:
        name: as on the command line, `vllm-ascend`.
        packages: folder names of the import package, newest first; an older name is recognised too, so that the
            profile can say which era it is.
        sign: a folder in the package that no other repository has there.
    """

    name: str
    packages: tuple[str, ...]
    sign: str

    @property
    def variable(self) -> str:
        """The environment variable that names a checkout of it."""
        return f"SCAFFOLD_{self.name.upper().replace('-', '_')}"


REPOS = {
    r.name: r
    for r in (
        Repo("lmdeploy", ("lmdeploy",), "pytorch"),
        Repo("dlinfer", ("dlinfer", "infer_ext"), "vendor"),
        Repo("vllm", ("vllm",), "model_executor"),
        Repo("vllm-ascend", ("vllm_ascend",), ""),
    )
}
# Where installed packages live: they look like checkouts and must not be written to.
_INSTALLED = ("site-packages", "dist-packages")


@dataclass(frozen=True)
class Checkout:
    """One checkout.

    Attributes:
        repo: a key of `REPOS`.
        root: absolute, symlinks resolved; what paths in plans and findings are relative to.
        package: the import package, `<root>/lmdeploy`.
    """

    repo: str
    root: Path
    package: Path


@dataclass(frozen=True)
class Workspace:
    """The checkouts that a command works on, by repository."""

    checkouts: dict[str, Checkout] = field(default_factory=dict)

    def __getitem__(self, repo: str) -> Checkout:
        return self.checkouts[repo]

    def __contains__(self, repo: str) -> bool:
        return repo in self.checkouts

    @property
    def roots(self) -> dict[str, Path]:
        """Repository to the root of its checkout."""
        return {repo: checkout.root for repo, checkout in self.checkouts.items()}


def recognise(folder: Path) -> Checkout | None:
    """Return the checkout whose root `folder` is, told by its contents and not by its name, or None."""
    if folder.name in _INSTALLED:
        return None
    for repo in REPOS.values():
        for package in repo.packages:
            if os.path.isdir(f"{folder}/{package}/{repo.sign}"):
                root = folder.resolve()
                return Checkout(repo.name, root, root / package)
    return None


def children(folder: Path) -> Iterator[Checkout]:
    """Yield the checkouts that lie directly in `folder`, by name; a folder that cannot be listed holds none."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(e.name for e in entries if not e.name.startswith(".") and e.is_dir())
    except OSError:
        return
    for name in names:
        if checkout := recognise(folder / name):
            yield checkout
