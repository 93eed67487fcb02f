"""What was probed in the user's vLLM and vllm-ascend, and in a transformers package if one is at hand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from generator.errors import ScaffoldError
from generator.survey.vllm_ascend import Ascend, read_ascend, read_pin
from generator.survey.vllm_custom_ops import CustomOp, read_custom_ops
from generator.survey.vllm_lists import Lists, read_lists
from generator.survey.vllm_registry import PATH, Registry, read_registry
from generator.survey.vllm_transformers import Transformers, find_transformers
from generator.survey.vllm_tree import SourceTree


@dataclass
class Checkouts:
    """Attributes:
    vllm, ascend: the trees; None where the user has none.
    transformers: a package on this machine, or None.
    """

    vllm: SourceTree | None
    ascend: SourceTree | None
    transformers: Transformers | None

    @classmethod
    def of(cls, vllm: Path | None, ascend: Path | None, transformers: Path | None = None) -> Checkouts:
        """Return the checkouts at these folders.

        Raises:
            ScaffoldError: `transformers` names no such package.
        """
        package = find_transformers(transformers)
        if transformers and package is None:
            raise ScaffoldError("no transformers package", where=str(transformers), next="name its folder")
        return cls(SourceTree(vllm) if vllm else None, SourceTree(ascend) if ascend else None, package)

    @cached_property
    def registry(self) -> Registry | None:
        """vLLM's registry.

        Raises:
            ScaffoldError: the checkout has a registry that is no Python.
        """
        found = read_registry(self.vllm) if self.vllm else None
        if self.vllm and found is None and PATH in self.vllm.unread:
            raise ScaffoldError("not Python: " + self.vllm.unread[PATH], where=PATH, next="repair the checkout")
        return found

    @cached_property
    def lists(self) -> Lists:
        """vLLM's other lists."""
        return read_lists(self.vllm) if self.vllm else Lists()

    @cached_property
    def added(self) -> Ascend:
        """What vllm-ascend adds."""
        return read_ascend(self.ascend) if self.ascend else Ascend()

    @cached_property
    def custom_ops(self) -> dict[str, CustomOp]:
        """vLLM's replaceable layers."""
        return read_custom_ops(self.vllm) if self.vllm else {}

    @cached_property
    def pin(self) -> tuple[str, str, str, int] | None:
        """(repo, requirement, path, line) of the pinned transformers; vllm-ascend's is the narrower one."""
        for repo, tree in (("vllm-ascend", self.ascend), ("vllm", self.vllm)):
            found = read_pin(tree) if tree else None
            if found:
                return repo, *found
        return None
