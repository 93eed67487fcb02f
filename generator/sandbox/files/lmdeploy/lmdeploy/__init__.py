# Sandbox counterpart written for scaffold, in the form of lmdeploy.
from .version import __version__

__all__ = ['__version__']
