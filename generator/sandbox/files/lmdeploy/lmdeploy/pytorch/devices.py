# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
import contextlib
from dataclasses import dataclass


@dataclass
class DeviceContext:
    """The device that a thread works on."""
    device_type: str = 'cuda'


class DeviceManager:
    """Holds the current device."""

    def __init__(self):
        self._current = DeviceContext()

    def current_context(self) -> DeviceContext:
        """Current device."""
        return self._current

    @contextlib.contextmanager
    def context(self, context: DeviceContext):
        """Work on another device for a while."""
        before, self._current = self._current, context
        try:
            yield self
        finally:
            self._current = before


_MANAGER = DeviceManager()


def get_device_manager() -> DeviceManager:
    """The one device manager."""
    return _MANAGER
