"""What the shell offers: vendors, op types, and the ops of the checkouts around the current folder."""

from __future__ import annotations

import os
from pathlib import Path


def vendors(incomplete: str) -> list[str]:
    """The vendors."""
    from generator.spec.vendor import VENDORS

    return [v for v in VENDORS if v.startswith(incomplete)]


def op_names(incomplete: str) -> list[str]:
    """The ops of layer 3."""
    from generator.survey.names import op_names_of

    return [n for n in _names(op_names_of, "dlinfer") if n.startswith(incomplete)]


def op_types(incomplete: str) -> list[str]:
    """The members of OpType."""
    from generator.survey.names import op_types_of

    return [n for n in _names(op_types_of, "lmdeploy") if n.startswith(incomplete)]


def _names(read, repo: str) -> list[str]:
    from generator.workspace.find import find_workspace

    try:
        return read(find_workspace({}, os.environ, Path.cwd(), (repo,))[repo])
    except Exception:  # noqa: BLE001 - a completion has nobody to tell
        return []
