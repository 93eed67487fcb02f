"""The few things of git that template histories need."""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
from pathlib import Path

from generator.errors import ScaffoldError
from generator.render.template import VERSION_FILE

# A git hook that runs scaffold exports these; they would point at another repository.
_FOREIGN = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_COMMON_DIR")


def git(folder: Path, *words: str, data: bytes | None = None) -> bytes:
    """Run git in a folder and return what it prints.

    Raises:
        ScaffoldError: it fails; says what it said.
    """
    environment = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
    environment |= {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
    try:
        done = subprocess.run(["git", *words], cwd=folder, input=data, capture_output=True, env=environment)
    except FileNotFoundError:
        raise ScaffoldError("git is not installed", next="install it") from None
    if done.returncode:
        reason = done.stderr.decode(errors="replace").strip().splitlines()
        raise ScaffoldError(f"git {words[0]} failed: {reason[-1] if reason else done.returncode}")
    return done.stdout


def text(folder: Path, *words: str) -> str | None:
    """Run git and return its trimmed output, None if it fails."""
    try:
        return git(folder, *words).decode("utf-8", "surrogateescape").strip()
    except ScaffoldError:
        return None


def versions(repository: Path) -> dict[str, str]:
    """Return template version to the last commit that has it, newest first, by the history of `templates/VERSION`.

    Tags count too: `v1.0.0` is where version 1.0.0 was released.
    """
    found: dict[str, str] = {}
    last = "HEAD"
    for commit in (text(repository, "log", "--first-parent", "--format=%H", "--", VERSION_FILE) or "").splitlines():
        version = text(repository, "show", f"{commit}:{VERSION_FILE}")
        if version:
            found.setdefault(version, text(repository, "rev-parse", last) or commit)
        last = f"{commit}^"
    for version in found:
        tagged = text(repository, "rev-parse", "-q", "--verify", f"refs/tags/v{version}^{{commit}}")
        if tagged and text(repository, "show", f"{tagged}:{VERSION_FILE}") == version:
            found[version] = tagged
    return found


def extract(repository: Path, commit: str, folder: Path) -> None:
    """Write `copier.yml` and `templates/` of a commit to a folder."""
    data = git(repository, "archive", "--format=tar", commit, "copier.yml", "templates")
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        archive.extractall(folder, filter="data")
