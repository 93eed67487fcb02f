"""The pictures that rules look at: each is built once from a workspace, and only if a rule asks for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from generator.workspace.checkout import Workspace

Overlay = Mapping[str, Mapping[str, bytes | None]]


def _layers(workspace: Workspace, overlay: Overlay) -> Any:
    from generator.survey.layers import Layers

    return Layers.of(workspace, overlay)


@dataclass(frozen=True)
class Picture:
    """One way to see a workspace.

    Attributes:
        repos: the checkouts that it is about; a command needs at least one of them.
        build: from a workspace, and bytes that go before those on disk (repo to path to bytes, None where a file is
            gone). What it returns has `files_read: int`.
    """

    repos: tuple[str, ...]
    build: Callable[[Workspace, Overlay], Any]


PICTURES: dict[str, Picture] = {"layers": Picture(("lmdeploy", "dlinfer"), _layers)}
