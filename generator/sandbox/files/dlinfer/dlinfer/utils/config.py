# Sandbox counterpart written for scaffold, in the form of dlinfer.
class Config:
    """Switches by name."""

    def __init__(self, **kwargs):
        self.__dict__.update(kwargs)
