# Copyright (c) scaffold. A sandbox counterpart in the form of dlinfer, not its code.
def register_ops(registry):
    """Put a function into a registry under its own name."""

    def put(func):
        registry[func.__name__] = func
        return func

    return put
