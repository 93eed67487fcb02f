# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
from importlib import import_module

from lmdeploy.pytorch.devices import DeviceContext, get_device_manager

_BACKENDS = {
    'cuda': ('.cuda', 'CudaOpsBackend'),
    'ascend': ('.dlinfer.ascend', 'AscendOpsBackend'),
    'maca': ('.dlinfer.maca', 'MacaOpsBackend'),
    'camb': ('.dlinfer.camb', 'CambOpsBackend'),
}


def _get_backend():
    """Backend of the current device."""
    device_type = get_device_manager().current_context().device_type
    if device_type not in _BACKENDS:
        raise RuntimeError(f'No backend for device type {device_type}')
    module, name = _BACKENDS[device_type]
    return getattr(import_module(module, __package__), name)


def get_backend(backend_type: str = None):
    """Backend of a device, the current one by default."""
    context = get_device_manager().current_context() if backend_type is None else DeviceContext(backend_type)
    with get_device_manager().context(context):
        return _get_backend()
