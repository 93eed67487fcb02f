"""Write the sandbox: both repositories, each with one commit."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from generator.errors import ScaffoldError

REPOS = ("lmdeploy", "dlinfer")
_FILES = Path(__file__).parent / "files"
# Under its real name it would have a say in what goes into our own commits and wheel.
_RENAMED = {"gitignore": ".gitignore"}
_DATE = "2026-01-01T00:00:00Z"
_SETTINGS = ("user.name=scaffold", "user.email=scaffold@localhost", "init.defaultBranch=main", "core.autocrlf=false")


def write_sandbox(target: Path) -> list[Path]:
    """Write the sandbox into a folder that is empty or not there yet; all of it or nothing.

    The commits have the same ids everywhere: their author and date are fixed, and no configuration of the user counts.

    Returns:
        The roots of the checkouts, lmdeploy first.

    Raises:
        ScaffoldError: the folder holds something, cannot be written, or git is missing or fails.
    """
    _refuse_taken(target)
    try:
        target.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".scaffold-", dir=target) as staging:
            staged = [_write_repo(repo, Path(staging) / repo) for repo in REPOS]
            return [path.rename(target / path.name) for path in staged]
    except OSError as error:
        reason = error.strerror or str(error)
        raise ScaffoldError(f"the sandbox cannot be written: {reason}", where=str(target)) from error


def _refuse_taken(target: Path) -> None:
    if target.is_dir() and not any(target.iterdir()):
        return
    if target.exists() or target.is_symlink():
        what = "the folder is not empty" if target.is_dir() else "there is something of that name, and no folder"
        raise ScaffoldError(what, where=str(target), next="name a folder that is empty or does not exist yet")


def _write_repo(repo: str, root: Path) -> Path:
    for source in sorted((_FILES / repo).rglob("*")):
        if source.is_file() and "__pycache__" not in source.parts:
            path = root / source.relative_to(_FILES / repo)
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, path.with_name(_RENAMED.get(path.name, path.name)))
    _git(root, "init", "--quiet")
    _git(root, "add", "--all", "--force")
    _git(root, "commit", "--quiet", "--message", f"A small {repo} to try scaffold on")
    return root


def _git(root: Path, *arguments: str) -> None:
    settings = [part for setting in _SETTINGS for part in ("-c", setting)]
    command = ["git", *settings, *arguments]
    try:
        subprocess.run(command, cwd=root, env=_environment(), check=True, capture_output=True)
    except FileNotFoundError as error:
        raise ScaffoldError("git was not found", next="install git, then run the command again") from error
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace").strip()
        raise ScaffoldError(f"`git {arguments[0]}` failed: {said}", where=str(root)) from error


def _environment() -> dict[str, str]:
    """The environment without anything that would point git elsewhere, as inside a hook, or configure it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    fixed = {"GIT_AUTHOR_DATE": _DATE, "GIT_COMMITTER_DATE": _DATE}
    return kept | fixed | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
