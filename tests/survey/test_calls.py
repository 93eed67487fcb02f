"""Calls are seen through locals and tuples, but only where that is certain."""

import pytest

from generator.survey.calls import calls_in
from generator.survey.imports import imports_in, resolve
from generator.survey.reading import Reading
from generator.survey.syntax import all_names, functions


def calls(body: str, params: str = "x, y") -> list[str]:
    text = f"def f({params}):\n" + "".join(f"    {line}\n" for line in body.splitlines())
    reading = Reading("dlinfer", "a.py", text.encode())
    return [f"{c.callee}({c.args_text})" for _, c in calls_in(functions(reading.tree)[0], reading)]


@pytest.mark.parametrize(
    "body, seen",
    [
        ("g(x, *(1, 2), k=3, **y)", ["g(x, 1, 2, k=3, **y)"]),
        ("a = (x, y)\ng(*a)", ["g(x, y)"]),
        ("a = (x, y)\na = a + (1,)\ng(*a)", ["g(*a)"]),
        ("a = [x]\na.append(y)\ng(*a)", ["a.append(y)", "g(*a)"]),
        ("a = (x, *y)\ng(*a)", ["g(*a)"]),
        ("h = m.g\nh(x)", ["m.g(x)"]),
        ("h = m.g\nif x: h = m.k\nh(x)", ["h(x)"]),
        ("x = m.g\nx(1)", ["x(1)"]),
        ("for h in y: h(1)", ["h(1)"]),
        ("return g(\n    x,\n    h(y),\n)", ["g(x, h(y))", "h(y)"]),
        ("g(x)(y)", ["g(x)(y)", "g(x)"]),
        ("r['k'](x)", ["r['k'](x)"]),
    ],
)
def test_what_a_body_calls(body, seen):
    assert calls(body) == seen


@pytest.mark.parametrize(
    "path, head, name, means",
    [
        ("p/a.py", "import q.r as s", "s.f", "q.r.f"),
        ("p/a.py", "import q.r", "q.r.f", "q.r.f"),
        ("p/a.py", "from q import r", "r.f", "q.r.f"),
        ("p/a.py", "from . import r", "r.f", "p.r.f"),
        ("p/a.py", "from .r import f as g", "g", "p.r.f"),
        ("p/b/a.py", "from ..r import f", "f", "p.r.f"),
        ("p/b/__init__.py", "from .r import f", "f", "p.b.r.f"),
        ("p/b/__init__.py", "from ..r import f", "f", "p.r.f"),
        ("p/a.py", "def h():\n    from q import f", "f", "q.f"),
        ("p/a.py", "", "f", "f"),
    ],
)
def test_what_a_name_means(path, head, name, means):
    reading = Reading("dlinfer", path, head.encode())
    assert resolve(name, imports_in([reading.tree], reading)) == means


@pytest.mark.parametrize(
    "text, names",
    [
        ("x = 1", None),
        ("__all__ = ['a', 'b']", {"a": 1, "b": 1}),
        ("__all__ = (\n    'a',\n    'b',\n)", {"a": 2, "b": 3}),
        ("__all__ = ['a']\n__all__ += ['b']", {"a": 1, "b": 2}),
        ("__all__ = ['a'] + ['b']", {"a": 1, "b": 1}),
        ("__all__: list[str] = ['a']\n__all__.extend(['b'])\n__all__.append('c')", {"a": 1, "b": 2, "c": 3}),
        ("if x:\n    __all__ = ['a']", {"a": 2}),
        ("__all__ = []", {}),
    ],
)
def test_all(text, names):
    assert all_names(Reading("dlinfer", "a.py", text.encode()).tree) == names
