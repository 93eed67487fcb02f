# Sandbox counterpart written for scaffold, in the form of lmdeploy.
from .base import OpType  # noqa: F401
from .selector import get_backend  # noqa: F401
