import pytest

from generator.source.errors import AnchorMissing, Edited, SourceError
from generator.source.keyword_argument import KeywordArgument

from .kit import assert_edit, assert_laws, parse


def new(text="new=1", index="0"):
    return KeywordArgument("f", "cls.make", text, index)


EDITS = {
    "empty": ("()", "(new=1)"),
    "one line": ("(a, b=2)", "(a, b=2, new=1)"),
    "one a line": ("(\n        a,\n        b=2,\n    )", "(\n        a,\n        b=2,\n        new=1,\n    )"),
    "no trailing comma": ("(\n        a,\n        b=2\n    )", "(\n        a,\n        b=2,\n        new=1\n    )"),
    "one row": ("(\n        a, b\n    )", "(\n        a, b, new=1\n    )"),
    "before stars": ("(a, **kw)", "(a, new=1, **kw)"),
    "before stars, one a line": (
        "(\n        a,\n        # rest\n        **kw,\n    )",
        "(\n        a,\n        new=1,\n        # rest\n        **kw,\n    )",
    ),
    "visual": ("(a,\n             b)", "(a,\n             b,\n             new=1)"),
}


@pytest.mark.parametrize(("before", "after"), EDITS.values(), ids=EDITS.keys())
def test_insert(before, after):
    code = "def f():\n    if x:\n        pass\n    y = [cls.make{}, other()]\n"
    assert_edit(code.format(before), new(), code.format(after))
    assert_laws(parse(code.format(before)), new(), new("k=[\n    1,\n]"), new("z = 1"))
    assert_laws(parse(code.format(before).replace("\n", "\r\n").rstrip().encode()), new(), new("k=[\n    1,\n]"))


def test_which_call():
    code = "def f():\n    cls.make(1)\n    for x in cls.make(2):\n        cls.make(3)\n"
    for index, number in enumerate("123"):
        assert_edit(code, new(index=str(index)), code.replace(f"({number})", f"({number}, new=1)"))


def test_module_level_and_methods():
    assert_edit("x = g()\n", KeywordArgument("", "g", "a=1"), "x = g(a=1)\n")
    method = "class C:\n    def f(self):\n        return g(1)\n"
    assert_edit(method, KeywordArgument("C.f", "g", "a=1"), method.replace("g(1)", "g(1, a=1)"))


def test_another_value_is_an_edit():
    source = parse("def f():\n    cls.make(new=2)\n")
    assert new().insert(source) is source
    with pytest.raises(Edited):
        new().remove(source)


def test_refusals():
    with pytest.raises(AnchorMissing, match="called 1 times in `f`, so there is no call 1"):
        new(index="1").insert(parse("def f():\n    cls.make()\n"))
    with pytest.raises(AnchorMissing, match="generator"):
        new().insert(parse("def f():\n    cls.make(x for x in y)\n"))
    with pytest.raises(AnchorMissing):  # not every argument can stand in an f-string
        new().insert(parse("def f():\n    return f'{cls.make()}'\n"))
    for text in ("1", "a=1, b=2", "a=1,", "a b=1"):
        with pytest.raises(SourceError):
            new(text).insert(parse("def f():\n    cls.make()\n"))
