"""OP004: the call of a kernel wrapper bound to the op."""

from __future__ import annotations

from collections.abc import Iterator

from generator.survey.bind import bind, misplaced
from generator.survey.layers import LAYER_2, Layers
from generator.survey.sites import Site

from .at import call_place, call_text, target_place, target_text
from .finding import ERROR, WARNING, Finding
from .rule import Case, Rule, register

_OPS = "dlinfer:dlinfer/ops/llm.py"
_WRAPPER = "lmdeploy:lmdeploy/pytorch/kernels/dlinfer/f.py"
_USER = {"lmdeploy:lmdeploy/pytorch/kernels/dlinfer/__init__.py": "from .f import f\n"}
_STAR = {"dlinfer:dlinfer/ops/__init__.py": "from .llm import *\n"}


def _files(op: str, call: str) -> dict[str, str]:
    wrapper = f"import dlinfer.ops as ext_ops\n\n\ndef f(a, b, kv_seqlens, q_seqlens):\n    return ext_ops.f({call})\n"
    return {_OPS: op, _WRAPPER: wrapper, **_USER, **_STAR}


_DEFAULTS = '@register_custom_op("dlinfer::f", ["a"], default_value={"b": None})\ndef f(a, b):\n    pass\n'


@register
class WrapperCall(Rule):
    """lmdeploy's wrappers in `kernels/dlinfer` call dlinfer's ops, which live in another repository and change on
    another day. The call is bound to the op's signature, with the defaults that its decorator adds.

    It is an error if Python could not bind it, or if a value lands in one parameter while another one has its name
    (`kv_seqlens` and `kv_seq_len` count as one name). In a wrapper file that nothing imports it is a warning.
    """

    id = "OP004"
    title = "the call of a kernel wrapper binds to the op"
    reads = ("dlinfer:dlinfer/ops/", "lmdeploy:lmdeploy/pytorch/kernels/dlinfer/")
    VALID = (
        Case("a default of the decorator", _files(_DEFAULTS, "a")),
        Case("another name", _files("def f(x, y):\n    pass\n", "a, y=b")),
    )
    INVALID = (
        Case(
            "too many",
            _files("def f(a):\n    pass\n", "a, b"),
            ("error lmdeploy/pytorch/kernels/dlinfer/f.py:5",),
            ("takes 1 positional argument, 2 are given",),
        ),
        Case(
            "swapped under other names",
            _files("def f(q_seq_len, kv_seq_len):\n    pass\n", "kv_seqlens, q_seqlens"),
            ("error lmdeploy/pytorch/kernels/dlinfer/f.py:5",),
        ),
        Case(
            "in a file that nothing imports",
            {k: v for k, v in _files("def f(a):\n    pass\n", "a, b").items() if k not in _USER},
            ("warning lmdeploy/pytorch/kernels/dlinfer/f.py:5",),
        ),
    )

    def find(self, picture: Layers) -> Iterator[Finding]:
        for site in picture.sites:
            if site.repo != "lmdeploy" or not site.path.startswith(LAYER_2) or site.target_repo != "dlinfer":
                continue
            bound = bind(site.call, site.signature)
            if bound.problem:
                yield self._finding(picture, site, f"`{site.name}` of dlinfer {bound.problem}")
            elif wrong := misplaced(bound, site.signature, loose=True):
                said = ", ".join(f"`{one.value}` lands in `{one.slot}`" for one in wrong)
                yield self._finding(picture, site, f"{said} of `{site.name}`")

    def _finding(self, picture: Layers, site: Site, message: str) -> Finding:
        dead = not picture.is_imported(site.repo, site.path)
        if dead:
            message += "; nothing imports this file"
        next = f"pass what {site.target_repo}/{site.target_path}:{site.target_line} declares"
        return self.finding(
            call_place(site),
            site.name,
            message,
            f"remove the file, or {next}" if dead else next,
            severity=WARNING if dead else ERROR,
            other=target_place(site),
            here=call_text(site),
            there=target_text(site),
            op=site.name,
        )
