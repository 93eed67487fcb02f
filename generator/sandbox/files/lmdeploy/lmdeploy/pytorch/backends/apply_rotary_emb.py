# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
from abc import ABC, abstractmethod

from torch import Tensor


class ApplyRotaryEmbImpl(ABC):
    """Rotates query and key."""

    @abstractmethod
    def forward(self, query: Tensor, key: Tensor, cos: Tensor, sin: Tensor, inplace: bool = True):
        """forward."""
        raise NotImplementedError


class ApplyRotaryEmbBuilder(ABC):
    """Builds the rotation."""

    @staticmethod
    @abstractmethod
    def build():
        """build."""
        raise NotImplementedError
