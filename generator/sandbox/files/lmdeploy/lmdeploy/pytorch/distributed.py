# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
from dataclasses import dataclass, field
from typing import Any


@dataclass
class DistConfig:
    """Sizes of the parallel groups."""
    dp: int = 1
    tp: int = 1
    ep: int = 1


@dataclass
class DistContext:
    """The parallel groups of this process."""
    dist_config: DistConfig = field(default_factory=DistConfig)
    tp_rank: int = 0
    ep_rank: int = 0
    tp_group: Any = None
    ep_group: Any = None


class DistManager:
    """Holds the current distributed context."""

    def __init__(self):
        self._current = DistContext()

    def current_context(self) -> DistContext:
        """Current context."""
        return self._current


_MANAGER = DistManager()


def get_dist_manager() -> DistManager:
    """The one distributed manager."""
    return _MANAGER


def get_tp_world_rank(layer_type: str | None = None) -> tuple[int, int]:
    """World size and rank of a layer's tensor parallel group."""
    context = get_dist_manager().current_context()
    return context.dist_config.tp, context.tp_rank
