"""Runs a rule over a small tree that exists in memory only."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from generator.checks.engine import run_rules
from generator.checks.finding import Finding
from generator.checks.rule import Rule
from generator.workspace.checkout import REPOS, Checkout, Workspace

NOWHERE = Path("/nowhere")


def workspace(files: Mapping[str, str | bytes]) -> tuple[Workspace, dict[str, dict[str, bytes]]]:
    """A workspace with all repositories that `files` (`repo:path` to text) mention, and the bytes in it."""
    overlay: dict[str, dict[str, bytes]] = {"lmdeploy": {}, "dlinfer": {}}
    for key, text in files.items():
        repo, _, path = key.partition(":")
        overlay.setdefault(repo, {})[path] = text if isinstance(text, bytes) else text.encode()
    roots = {repo: NOWHERE / repo for repo in overlay}
    checkouts = {repo: Checkout(repo, root, root / REPOS[repo].packages[0]) for repo, root in roots.items()}
    return Workspace(checkouts), overlay


def run(rule: Rule, files: Mapping[str, str | bytes]) -> list[Finding]:
    """What one rule finds."""
    space, overlay = workspace(files)
    return list(run_rules(space, [rule], overlay=overlay).findings)


def places(findings: list[Finding]) -> list[str]:
    """`severity path:line` of each, sorted."""
    return sorted(f"{f.severity} {f.place.path}:{f.place.line}" for f in findings)
