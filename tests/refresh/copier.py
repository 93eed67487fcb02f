"""Plain copier as a command, with the project's address served from a local repository."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from generator.render.template import URL
from tests.plan.kit import commit

COPIER = str(Path(sys.executable).parent / "copier")


def environment(templates: Path, cache: Path) -> dict[str, str]:
    """The two settings that let copier find the project's address here, and who commits."""
    config = {f"url.{templates}.insteadOf": URL, "protocol.file.allow": "always"}
    config |= {"user.name": "a", "user.email": "a@b.c"}
    found = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    for number, (key, value) in enumerate(config.items()):
        found |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return found | {"GIT_CONFIG_COUNT": str(len(config)), "COPIER_CACHE_DIR": str(cache)}


def copy(checkout: Path, templates: Path, answers: Path, cache: Path) -> subprocess.CompletedProcess:
    """`copier copy` with the answers of a file."""
    words = ("copy", "--trust", "--defaults", "--data-file", answers, URL, checkout)
    return _run(*words, cache=cache, templates=templates)


def update(checkout: Path, templates: Path, id: str, cache: Path, *more: str) -> subprocess.CompletedProcess:
    """Commit what there is, then `copier update` of one id."""
    commit(checkout)
    words = ("update", "--trust", "--defaults", "-a", f".scaffold/{id}/answers.yml", *more)
    return _run(*words, cache=cache, templates=templates, cwd=checkout)


def _run(*words: object, cache: Path, templates: Path, cwd: Path | None = None) -> subprocess.CompletedProcess:
    command = [COPIER, *map(str, words)]
    return subprocess.run(command, cwd=cwd, env=environment(templates, cache), capture_output=True, text=True)
