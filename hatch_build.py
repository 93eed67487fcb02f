"""Puts the history of the templates into the wheel: an installed package serves every version of them offline."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BUNDLE = "history.bundle"


class HistoryHook(BuildHookInterface):
    """Builds the bundle; a source distribution carries it, because it has no git history to build it from."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the bundle to what is packed."""
        if version == "editable":
            return
        root = Path(self.root)
        bundle = root / BUNDLE
        if not bundle.is_file():
            sys.path.insert(0, self.root)
            from generator.refresh.bundle import write_bundle

            bundle = Path(mkdtemp(prefix="scaffold-build-")) / BUNDLE
            write_bundle(root, bundle)
        inside = BUNDLE if self.target_name == "sdist" else f"generator/_templates/{BUNDLE}"
        build_data["force_include"][str(bundle)] = inside
