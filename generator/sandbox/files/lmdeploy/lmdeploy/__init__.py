# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
from .version import __version__

__all__ = ['__version__']
