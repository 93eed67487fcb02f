"""Where templates come from: this package and its history, a folder, or a git repository somewhere."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from generator.errors import ScaffoldError
from generator.render.root import template_root
from generator.render.template import URL, Template, shipped, version_of

from .git import extract, git, text, versions

BUNDLE = "history.bundle"
LOCAL = "local:"


class Fetch(AbstractContextManager):
    """Opens template roots; what it had to unpack is gone when it is left."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._known: dict[tuple[str, str | None, bool], Template] = {}

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def recorded(self, answers: Mapping[str, Any], version: str | None = None) -> Template:
        """Return the newest templates of the source that an answers file names, or one version of them.

        Raises:
            ScaffoldError: they cannot be had from here, or have no such version.
        """
        address = answers.get("_src_path") or URL
        if address == URL:
            return self._own(version)
        if address.startswith(LOCAL):
            name = address.removeprefix(LOCAL)
            raise ScaffoldError(f"these are the templates of a folder `{name}`", next="give it with --template DIR")
        return self._once(address, version, url=address)

    def given(self, address: str, version: str | None = None) -> Template:
        """Return the templates of `--template`: a folder as it is, or the newest version of a git repository.

        Raises:
            ScaffoldError: it is no template root, cannot be cloned, or has no such version.
        """
        if Path(address).is_dir() and version is None and (Path(address) / "copier.yml").is_file():
            key = (address, None, False)
            if key not in self._known:
                self._known[key] = _folder(Path(address).resolve())
            return self._known[key]
        if Path(address).is_dir() and not text(Path(address), "rev-parse", "--git-dir"):
            what = "there is no copier.yml" if version is None else "this folder is no git checkout: it has one version"
            raise ScaffoldError(what, where=address, next="give a folder or URL that holds copier.yml and templates/")
        return self._once(address, version, url=_public(address))

    @cached_property
    def history(self) -> Path:
        """A repository that has this package's own templates of all versions.

        Raises:
            ScaffoldError: this installation has none.
        """
        root = template_root()
        if (root / BUNDLE).is_file():
            return self._clone(str(root / BUNDLE))
        if text(root, "rev-parse", "--show-toplevel") == str(root):
            return root
        raise ScaffoldError("this installation has no history of its templates", next="install it from a wheel")

    def _own(self, version: str | None) -> Template:
        if version in (None, version_of(template_root())):
            return shipped()
        commit = _commit_of(self.history, version)
        return Template(self._unpack(self.history, commit), URL, f"v{version}")

    def _once(self, address: str, version: str | None, url: str) -> Template:
        key = (address, version, url == address)
        if key not in self._known:
            repository = self._clone(address)
            commit = _commit_of(repository, version) if version else _newest(repository)
            name = text(repository, "describe", "--tags", "--always", commit) or commit
            self._known[key] = Template(self._unpack(repository, commit), url, name)
        return self._known[key]

    def _clone(self, address: str) -> Path:
        folder = self._temporary()
        git(folder, "clone", "-q", "--bare", address, "repository")
        return folder / "repository"

    def _unpack(self, repository: Path, commit: str) -> Path:
        folder = self._temporary()
        extract(repository, commit, folder)
        return folder

    def _temporary(self) -> Path:
        return Path(self._stack.enter_context(TemporaryDirectory(prefix="scaffold-templates-"))).resolve()


def own_bundle(output: Path) -> None:
    """Write the history of this package's own templates to a file: the wheel's bundle, or one of this checkout.

    Raises:
        ScaffoldError: it cannot be written, or git fails.
    """
    from .bundle import write_bundle

    root = template_root()
    try:
        if (root / BUNDLE).is_file():
            output.write_bytes((root / BUNDLE).read_bytes())
        else:
            write_bundle(root, output)
    except OSError as error:
        raise ScaffoldError(f"the bundle cannot be written: {error.strerror}", where=str(output)) from None


def _folder(root: Path) -> Template:
    """A folder as it stands, uncommitted templates included."""
    if text(root, "rev-parse", "--show-toplevel") == str(root):
        described = text(root, "describe", "--tags", "--always")
        if described:
            return Template(root, _public(str(root)), described)
    return Template(root, f"{LOCAL}{root.name}", f"v{version_of(root)}")


def _public(address: str) -> str:
    """An address that means the same on any machine, without credentials; a name where there is none."""
    if Path(address).exists():
        origin = text(Path(address), "config", "remote.origin.url") if Path(address).is_dir() else None
        if origin and _is_url(origin):
            return _public(origin)
        return f"{LOCAL}{Path(address).resolve().name}"
    return re.sub(r"^(\w+://)[^/@]*@", r"\1", address)


def _is_url(address: str) -> bool:
    return re.match(r"(https?|ssh|git)://|[\w.-]+@[\w.-]+:", address) is not None


def _commit_of(repository: Path, version: str) -> str:
    known = versions(repository)
    commit = known.get(version.removeprefix("v"))
    commit = commit or text(repository, "rev-parse", "-q", "--verify", f"{version}^{{commit}}")
    if not commit:
        there = ", ".join(known) or "none"
        raise ScaffoldError(f"there are no templates of version {version}", next=f"the versions are {there}")
    return commit


def _newest(repository: Path) -> str:
    """The commit that copier would take: the highest version that is tagged, else the head."""
    from packaging.version import InvalidVersion, Version

    tagged = {}
    for tag in (text(repository, "tag", "--list") or "").split():
        try:
            tagged[Version(tag)] = tag
        except InvalidVersion:
            continue
    final = [version for version in tagged if not version.is_prerelease]
    return git(repository, "rev-parse", f"{tagged[max(final)] if final else 'HEAD'}^{{commit}}").decode().strip()
