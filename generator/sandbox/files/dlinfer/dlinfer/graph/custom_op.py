# Copyright (c) scaffold. A sandbox counterpart in the form of dlinfer, not its code.
import inspect
from functools import wraps

import dlinfer.graph
from dlinfer.utils.type_annotation import Callable, Optional, Sequence, Dict
from dlinfer.vendor import vendor_name

graph_enabled_backends = ["ascend"]


def register_custom_op(
    qualname: str,
    shape_param_keys: Optional[Sequence[str]] = None,
    default_value: Optional[Dict] = None,
    impl_abstract_func: Optional[Callable] = None,
) -> Callable:
    """Give an op its defaults and, for a vendor with graphs, make it a torch op.

    The results have the shapes of the parameters in shape_param_keys, unless impl_abstract_func says otherwise.
    """

    def register(func: Callable):
        eager = set_default_values(func, default_value or {})
        if vendor_name not in graph_enabled_backends:
            return eager
        import torch.library

        abstract = impl_abstract_func or like_params(func, shape_param_keys)
        torch_op = torch.library.custom_op(qualname, mutates_args=())(func)
        torch_op.register_fake(abstract)
        in_graph = forward_with_defaults(func, torch_op, default_value or {})

        @wraps(func)
        def call(*args, **kwargs):
            enabled = dlinfer.graph.config.enable_graph_mode
            return (in_graph if enabled else eager)(*args, **kwargs)

        return call

    return register


def like_params(func: Callable, keys: Sequence[str]) -> Callable:
    """An abstract function whose results are like some of the parameters."""
    assert keys is not None
    signature = inspect.signature(func)

    def abstract(*args, **kwargs):
        bound = signature.bind(*args, **kwargs).arguments
        results = tuple(bound[key].new_empty(bound[key].shape) for key in keys)
        return results if len(results) > 1 else results[0]

    return abstract


def set_default_values(func: Callable, default_value: Dict) -> Callable:
    """Set defaults on a function that was written without any."""
    defaults = []
    for name in inspect.signature(func).parameters:
        if name in default_value:
            defaults.append(default_value[name])
        elif defaults:
            raise SyntaxError(f"non-default argument '{name}' follows default argument")
    func.__defaults__ = tuple(defaults)
    return func


def forward_with_defaults(func: Callable, target: Callable, default_value: Dict):
    """A function with the defaults written into its text, since a torch op takes none."""
    names = list(inspect.signature(func).parameters)
    texts = {name: repr_in_source(value) for name, value in default_value.items()}
    params = ", ".join(f"{n}={texts[n]}" if n in texts else n for n in names)
    namespace = {"target": target}
    exec(
        f"def {func.__name__}({params}):\n    return target({', '.join(names)})\n",
        namespace,
    )
    return namespace[func.__name__]


def repr_in_source(value) -> str:
    """The text of a default. It is evaluated without any import."""
    return f"'{value}'" if isinstance(value, str) else f"{value}"
