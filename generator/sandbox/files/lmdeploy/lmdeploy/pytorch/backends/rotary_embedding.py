# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
from abc import ABC, abstractmethod

from torch import Tensor


class RotaryEmbeddingImpl(ABC):
    """Cosine and sine of the positions."""

    @abstractmethod
    def forward(self, x: Tensor, position_ids: Tensor):
        """forward."""
        raise NotImplementedError


class RotaryEmbeddingBuilder(ABC):
    """Builds the table of angles."""

    @staticmethod
    @abstractmethod
    def build(dim: int, max_position_embeddings: int = 2048, base: int = 10000):
        """build."""
        raise NotImplementedError
