"""Find the checkouts: what was said first, then what lies around the current folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from generator.errors import ScaffoldError

from .checkout import REPOS, Checkout, Workspace, children, recognise
from .config import NAME, config_folder, find_config, read_config

_WORKSPACE = "workspace"


@dataclass(frozen=True)
class _Said:
    """One folder that somebody named, and how, for the messages."""

    how: str
    folder: Path

    def resolved(self) -> Path:
        if not self.folder.is_dir():
            raise ScaffoldError(f"{self.how} names no folder", where=str(self.folder), next=f"correct {self.how}")
        return self.folder.resolve()


@dataclass
class _Search:
    """What has been found so far, and where was looked."""

    found: dict[str, Checkout] = field(default_factory=dict)
    doubles: dict[str, list[Checkout]] = field(default_factory=dict)
    looked: list[str] = field(default_factory=list)

    def look_in(self, place: Path) -> bool:
        """Take the checkout that `place` is, or those that lie in it; what was found before stays.

        Returns True if any lie in it, so that it is a workspace folder.
        """
        self.looked.append(str(place))
        own = recognise(place)
        met = [own] if own else list(children(place))
        self._take(met)
        return bool(met) and not own

    def _take(self, met: list[Checkout]) -> None:
        new = {c.root: c for c in met if c.repo not in self.found and c.repo not in self.doubles}
        by_repo: dict[str, list[Checkout]] = {}
        for checkout in new.values():
            by_repo.setdefault(checkout.repo, []).append(checkout)
        for repo, checkouts in by_repo.items():
            if len(checkouts) == 1:
                self.found[repo] = checkouts[0]
            else:
                self.doubles[repo] = checkouts


def find_workspace(
    flags: Mapping[str, str | None], env: Mapping[str, str], cwd: Path, need: tuple[str, ...]
) -> Workspace:
    """Find the checkouts that a command needs.

    The sources in order: flags, environment variables, `scaffold.toml`, and, unless one of them names a workspace,
    the walk up from `cwd` to the first folder that checkouts lie in, not above the home folder; a checkout around `cwd`
    goes before its neighbours. Within a source a named checkout goes before a named workspace. A repository that is
    not needed is in the result if it was named or met on the way.

    Args:
        flags: `workspace` and names of `REPOS` to folders as typed, None where not given.
        env: environment variables.
        cwd: the current folder.
        need: names of `REPOS`.

    Raises:
        ScaffoldError: a named folder is no such checkout, a needed repository is nowhere, or there are two of it and
            nothing says which.
    """
    search = _Search()
    sources = (_from_flags(flags, cwd), _from_env(env, cwd), _from_config(cwd))
    for source in sources:
        for repo, said in source.items():
            if repo != _WORKSPACE and repo not in search.found:
                search.doubles.pop(repo, None)
                search.found[repo] = _named(repo, said)
        if _WORKSPACE in source:
            search.look_in(source[_WORKSPACE].resolved())
    if not any(_WORKSPACE in source for source in sources):
        _walk(search, cwd, env.get("HOME"))
    return _result(search, need)


def _walk(search: _Search, cwd: Path, home: str | None) -> None:
    for place in (cwd, *cwd.parents):
        if search.look_in(place) or str(place) == home:
            return


def _from_flags(flags: Mapping[str, str | None], cwd: Path) -> dict[str, _Said]:
    said = {}
    for key in (_WORKSPACE, *REPOS):
        if value := flags.get(key) or flags.get(key.replace("-", "_")):
            said[key] = _Said(f"--{key}", cwd / os.path.expanduser(value))
    return said


def _from_env(env: Mapping[str, str], cwd: Path) -> dict[str, _Said]:
    names = {_WORKSPACE: "SCAFFOLD_WORKSPACE"} | {repo.name: repo.variable for repo in REPOS.values()}
    return {key: _Said(name, cwd / os.path.expanduser(env[name])) for key, name in names.items() if env.get(name)}


def _from_config(cwd: Path) -> dict[str, _Said]:
    path = find_config(cwd)
    if not path:
        return {}
    values = read_config(path)
    keys = [key for key in (_WORKSPACE, *REPOS) if key in values]
    return {key: _Said(f"`{key}` in {path}", config_folder(path, key, values[key])) for key in keys}


def _named(repo: str, said: _Said) -> Checkout:
    """The checkout that was named by its root or by any folder in it."""
    folder = said.resolved()
    around = next(filter(None, map(recognise, (folder, *folder.parents))), None)
    if around and around.repo == repo:
        return around
    raise ScaffoldError(
        f"{said.how} names no {repo} checkout: it has no {_sign(repo)}",
        where=str(said.folder),
        next=f"give the folder that `git clone` of {repo} made",
    )


def _result(search: _Search, need: tuple[str, ...]) -> Workspace:
    for repo in need:
        if repo in search.doubles:
            both = " and ".join(str(c.root) for c in search.doubles[repo])
            raise ScaffoldError(f"more than one {repo} checkout: {both}", next=f"say which: {_ways(repo)}")
        if repo not in search.found:
            raise ScaffoldError(
                f"no {repo} checkout found (a folder with {_sign(repo)}); looked in {', '.join(search.looked)}",
                next=f"run inside the workspace, or say where it is: {_ways(repo)}",
            )
    return Workspace(search.found)


def _sign(repo: str) -> str:
    return "`" + f"{REPOS[repo].packages[0]}/{REPOS[repo].sign}".rstrip("/") + "`"


def _ways(repo: str) -> str:
    return f'--{repo} DIR, {REPOS[repo].variable}=DIR, or {repo} = "DIR" in {NAME}'
