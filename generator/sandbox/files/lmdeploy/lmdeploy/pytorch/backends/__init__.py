# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
from .base import OpType  # noqa: F401
from .selector import get_backend  # noqa: F401
