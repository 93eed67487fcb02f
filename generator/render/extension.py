"""The Jinja extension that both ways of rendering load: the command line and plain copier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jinja2 import Environment, pass_context
from jinja2.ext import Extension
from jinja2.runtime import Context

from .formatter import black, black_body, python, vllm_style
from .wrap import wrap_call, wrap_def


class ScaffoldExtension(Extension):
    """Gives templates `view()`, the answers seen as the field's things, and the filters `black`, `black_body` (of a
    function), `wrap_def` and `wrap_call`."""

    def __init__(self, environment: Environment):
        super().__init__(environment)
        environment.globals["view"] = _view
        environment.filters["black"] = black
        environment.filters["vllm_style"] = vllm_style
        environment.filters["python"] = python
        environment.filters["black_body"] = black_body
        environment.filters["wrap_def"] = _wrap_def
        environment.filters["wrap_call"] = _wrap_call


@pass_context
def _view(context: Context) -> Any:
    from .views import view_of

    return view_of(context.get_all())


def _wrap_def(head: str, params: Sequence[str], columns: int, tail: str = ":") -> str:
    return wrap_def(head, list(params), tail, columns)


def _wrap_call(head: str, args: Sequence[str], columns: int) -> str:
    return wrap_call(head, list(args), columns)
