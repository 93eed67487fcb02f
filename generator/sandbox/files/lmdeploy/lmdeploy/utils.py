# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
import logging


def get_logger(name: str) -> logging.Logger:
    """Logger of a component."""
    return logging.getLogger(name)


def try_import_deeplink(device_type: str):
    """Load the patches that dlinfer brings for its own devices."""
    if device_type in ('ascend', 'npu', 'maca', 'camb'):
        import dlinfer.framework.lmdeploy_ext  # noqa: F401
