# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
from abc import ABC, abstractmethod


class SiluAndMulImpl(ABC):
    """SiLU of the first half, times the second."""

    @abstractmethod
    def forward(self, x):
        """forward."""
        raise NotImplementedError


class SiluAndMulBuilder(ABC):
    """Builds SiLU and multiply."""

    @staticmethod
    @abstractmethod
    def build(inplace: bool = False):
        """build."""
        raise NotImplementedError
