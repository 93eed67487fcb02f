# Sandbox counterpart written for scaffold, in the form of lmdeploy.
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
