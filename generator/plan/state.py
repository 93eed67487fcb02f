"""The bookkeeping of all checkouts in one file, for a clone or after `git clean -x`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from generator.errors import ScaffoldError

from .apply import apply
from .entry import ID
from .ledger import Page
from .places import FOLDER, LEDGER
from .plan import Plan
from .tree import Change, Tree

SCHEMA = {"name": "scaffold/state", "version": 1}


def export_state(roots: Mapping[str, Path], file: Path) -> list[str]:
    """Write the ledgers and the fragments of these checkouts to one JSON file, and return what is in it.

    The file is `{"schema": …, "checkouts": {repo: {path: text}}}`; it holds no path of this machine.

    Raises:
        ScaffoldError: nothing is applied here, or the file cannot be written.
    """
    tree = Tree(roots)
    checkouts = {repo: _files(tree, repo) for repo in tree.roots if tree.read(repo, LEDGER) is not None}
    if not checkouts:
        raise ScaffoldError("nothing is applied in these checkouts, so there is nothing to export")
    try:
        file.write_bytes(json.dumps({"schema": SCHEMA, "checkouts": checkouts}, indent=1).encode() + b"\n")
    except OSError as error:
        raise ScaffoldError(f"cannot write the file: {error.strerror}", where=str(file)) from error
    return [f"{repo}/{path}" for repo, files in checkouts.items() for path in files]


def import_state(roots: Mapping[str, Path], file: Path) -> list[Change]:
    """Put the bookkeeping that `export_state` wrote back into these checkouts, all of it or nothing.

    Raises:
        ScaffoldError: the file is no export, it has a path outside `.scaffold/`, it is for a checkout that is not among
            `roots`, or a checkout has other bookkeeping already.
    """
    tree = Tree(roots)
    for repo, files in _read(file).items():
        for path, text in files.items():
            _stage(tree, repo, path, text.encode("utf-8", "surrogateescape"), str(file))
    return apply(Plan("", (), "status --import", (), tree))


def _files(tree: Tree, repo: str) -> dict[str, str]:
    fragments = [path for path in tree.files(repo, FOLDER) if ID.fullmatch(path.split("/")[1])]
    read = ((path, tree.read(repo, path)) for path in (LEDGER, *fragments))
    return {path: data.decode("utf-8", "surrogateescape") for path, data in read if data is not None}


def _read(file: Path) -> dict[str, dict[str, str]]:
    try:
        found = json.loads(file.read_bytes())
        if found["schema"] != SCHEMA:
            raise ValueError("another version of scaffold wrote it")
        return {
            repo: {str(path): str(text) for path, text in files.items()} for repo, files in found["checkouts"].items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        next = "give a file that `scaffold status --export` wrote"
        raise ScaffoldError(f"this is no export: {error}", where=str(file), next=next) from error


def _stage(tree: Tree, repo: str, path: str, data: bytes, where: str) -> None:
    parts = path.split("/")
    fragment = len(parts) > 2 and parts[0] == FOLDER and ID.fullmatch(parts[1])
    if path != LEDGER and not fragment:
        raise ScaffoldError(f"{path!r} is not a bookkeeping file", where=where)
    if path == LEDGER:
        Page.load(data, where)
    there = tree.read(repo, path)
    if there is not None and there != data:
        next = "undo what is applied here first, or delete it if it may be forgotten"
        raise ScaffoldError("this checkout has other bookkeeping already", where=f"{repo}/{path}", next=next)
    tree.write(repo, path, data)
