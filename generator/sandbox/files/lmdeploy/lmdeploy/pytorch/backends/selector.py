# Sandbox counterpart written for scaffold, in the form of lmdeploy.
from lmdeploy.pytorch.devices import DeviceContext, get_device_manager


def _get_backend():
    """Backend of the current device."""
    device_type = get_device_manager().current_context().device_type

    if device_type == 'cuda':
        from .cuda import CudaOpsBackend
        return CudaOpsBackend
    if device_type == 'ascend':
        from .dlinfer.ascend import AscendOpsBackend
        return AscendOpsBackend
    if device_type == 'maca':
        from .dlinfer.maca import MacaOpsBackend
        return MacaOpsBackend
    if device_type == 'camb':
        from .dlinfer.camb import CambOpsBackend
        return CambOpsBackend
    raise RuntimeError(f'No backend for device type {device_type}')


def get_backend(backend_type: str = None):
    """Backend of a device, the current one by default."""
    if backend_type is None:
        return _get_backend()
    with get_device_manager().context(DeviceContext(backend_type)):
        return _get_backend()
