# Sandbox counterpart written for scaffold, in the form of lmdeploy.
from .op_backend import AscendOpsBackend  # noqa: F401
