# Copyright (c) scaffold. A sandbox counterpart in the form of dlinfer, not its code.
class Config:
    """Switches by name."""

    def __init__(self, **kwargs):
        self.__dict__.update(kwargs)
