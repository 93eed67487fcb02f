"""`ruff format` stands in for black: equal bytes on everything that the templates write."""

import black
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.render.folder import Renderer
from generator.render.formatter import black as formatted
from generator.render.root import template_root
from tests.strategies import specs


@pytest.fixture(scope="module")
def renderer():
    found = Renderer(template_root())
    found.env.filters["black"] = _both
    return found


def _both(text: str) -> str:
    ruff = formatted(text)
    assert ruff == black.format_str(text, mode=black.Mode())
    return ruff


@settings(max_examples=60, deadline=None)
@given(spec=specs(), vendor=st.sampled_from(["ascend", "camb", "maca"]), body=st.sampled_from(["stub", "torch"]))
def test_ruff_is_black(renderer, spec, vendor, body):
    answers = {
        "kind": "op",
        "repo": "dlinfer",
        "name": spec.name,
        "vendor": vendor,
        "params": [str(p) for p in spec.params],
        "vendor_params": [],
        "returns": spec.returns_text,
        "shape_from": list(spec.shape_from),
        "op_type": "X",
        "module": "x",
        "nn_module": "x",
        "layers": [3, 4],
        "body": body,
        "native": "",
        "compose": [],
        "helper_module": "helper",
        "abstract": {},
        "appends_to": [],
        "profile": {"decorator": "one", "custom_op": "dlinfer.graph.custom_op"},
    }
    rendered = renderer.render(answers)
    for path, text in rendered.items():
        if path.endswith(".py") or path.endswith("function.py.txt"):
            compile(text, path, "exec")
