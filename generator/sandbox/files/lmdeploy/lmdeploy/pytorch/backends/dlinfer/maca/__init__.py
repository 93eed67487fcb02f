# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
from .op_backend import MacaOpsBackend  # noqa: F401
