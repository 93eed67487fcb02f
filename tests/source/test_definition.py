import pytest

from generator.source.definition import Definition
from generator.source.errors import AnchorMissing, Edited, SourceError, Taken
from generator.source.import_module import Import

from .kit import assert_edit, assert_laws, parse

FUNCTION = Definition("def new(x):\n    return x")
PAIR = Definition('''\
def op_abstract(x):
    """Doc.

    More.
    """
    return x


# about the op
@register(
    "ns::op",
    impl_abstract_func=op_abstract,
)
def op(x):
    return x
''')
VALUES = Definition('A = 1\nB = """\n  b\n"""')

EDITS = {
    "end": ("x = 1\n", "x = 1\n\n\ndef new(x):\n    return x\n"),
    "end without newline": ("x = 1", "x = 1\n\n\ndef new(x):\n    return x"),
    "above comments that end the file": ("x = 1\n\n# end\n", "x = 1\n\n\ndef new(x):\n    return x\n\n# end\n"),
    "empty file": ("", "def new(x):\n    return x\n"),
    "only a licence": ("# Copyright\n", "# Copyright\n\n\ndef new(x):\n    return x\n"),
    "below an indented comment": (
        "x = 1\n    # odd\n# end\n",
        "x = 1\n    # odd\n\n\ndef new(x):\n    return x\n# end\n",
    ),
    "CRLF": ("x = 1\r\n", "x = 1\r\n\r\n\r\ndef new(x):\r\n    return x\r\n"),
    "tabs": ("def f():\n\tpass\n", "def f():\n\tpass\n\n\ndef new(x):\n\treturn x\n"),
    "two spaces": ("def f():\n  pass\n", "def f():\n  pass\n\n\ndef new(x):\n  return x\n"),
    "beside a decorator in a string": (
        '"""\n@dec\ndef old(): ...\n"""\n',
        '"""\n@dec\ndef old(): ...\n"""\n\n\ndef new(x):\n    return x\n',
    ),
}


@pytest.mark.parametrize(("before", "after"), EDITS.values(), ids=EDITS.keys())
def test_end_of_file(before, after):
    assert_edit(before.encode(), FUNCTION, after.encode())


@pytest.mark.parametrize("before", [before for before, _ in EDITS.values()], ids=EDITS.keys())
def test_any_order(before):
    assert_laws(parse(before.encode()), PAIR, FUNCTION, VALUES, Import("os"))


SIBLINGS = "# Copyright\n\n# about a\ndef a(): ...\n\n\n# about b\n@dec\ndef b(): ...\n"


@pytest.mark.parametrize(
    ("place", "after"),
    [
        ({"after": "a"}, SIBLINGS.replace("\n\n\n# about b", "\n\n\ndef new(x):\n    return x\n\n\n# about b")),
        ({"before": "b"}, SIBLINGS.replace("\n\n\n# about b", "\n\n\ndef new(x):\n    return x\n\n\n# about b")),
        ({"before": "a"}, SIBLINGS.replace("# about a", "def new(x):\n    return x\n\n\n# about a")),
        ({"after": "b"}, SIBLINGS + "\n\ndef new(x):\n    return x\n"),
    ],
)
def test_beside_a_sibling(place, after):
    assert_edit(SIBLINGS, Definition(FUNCTION.text, **place), after)
    assert_laws(parse(SIBLINGS), Definition(PAIR.text, **place), Definition(VALUES.text, **place), Import("os"))


CLASS = '''\
class C:
    """Doc."""

    def a(self):
        return 1
    # end of C


x = 1
'''


def test_in_a_class():
    method = Definition('def new(self):\n    """Doc.\n\n    More.\n    """\n    return 2', scope="C")
    new = '    def new(self):\n        """Doc.\n\n        More.\n        """\n        return 2\n'
    assert_edit(CLASS, method, CLASS.replace("    # end of C", f"\n{new}    # end of C"))
    first = Definition(method.text, scope="C", before="a")
    assert_edit(CLASS, first, CLASS.replace("    def a", f"{new}\n    def a"))
    assert_laws(parse(CLASS.replace("    ", "\t")), method, Definition("@dec\ndef other(self): ...", scope="C"))


def test_a_moved_definition_is_found():
    for code in (
        f"x = 1\n\n\n{PAIR.text}y = 2\n",
        "if HAS:\n" + "".join(f"    {line}\n" if line else "\n" for line in PAIR.text.splitlines()),
    ):
        source = parse(code)
        assert not PAIR.find(source).edited
        assert PAIR.insert(source) is source
    assert PAIR.remove(parse(f"x = 1\n\n\n{PAIR.text}\n\ny = 2\n")).data == b"x = 1\n\n\ny = 2\n"


def test_the_parts_may_stand_apart():
    helper, op = PAIR.text.split("\n\n\n")
    source = parse(f"{op}\n\nx = 1\n\n\n{helper}\n")
    assert not PAIR.find(source).edited
    assert PAIR.remove(source).data == b"x = 1\n"


def test_a_missing_part_comes_beside_the_other():
    helper, op = PAIR.text.split("\n\n\n")
    assert PAIR.insert(parse(f"{op}\n\nx = 1\n")).data.decode() == f"{helper}\n\n\n{op}\n\nx = 1\n"
    assert PAIR.insert(parse(f"{helper}\n\n\nx = 1\n")).data.decode() == f"{helper}\n\n\n{op}\n\nx = 1\n"
    assert PAIR.find(parse(helper + "\n")).edited


@pytest.mark.parametrize(
    "code", ["def new(x):\n    return 2\n", "# mine\ndef new(x):\n    return x\n", "@dec\ndef new(x):\n    return x\n"]
)
def test_an_edited_definition_stays(code):
    source = parse(f"x = 1\n\n\n{code}")
    assert FUNCTION.insert(source) is source
    assert FUNCTION.find(source).edited and FUNCTION.find(source).line == 4
    with pytest.raises(Edited, match="`new`"):
        FUNCTION.remove(source)


@pytest.mark.parametrize(
    "code", ["import new\n", "from m import x as new\n", "new = 1\n", "class new: ...\n", "if x:\n    new = 1\n"]
)
def test_taken(code):
    with pytest.raises(Taken, match="`new`"):
        FUNCTION.insert(parse(code))


def test_refusals():
    with pytest.raises(AnchorMissing, match="`gone`"):
        Definition(FUNCTION.text, after="gone").insert(parse("x = 1\n"))
    with pytest.raises(AnchorMissing, match="`Gone`"):
        Definition(FUNCTION.text, scope="Gone").insert(parse("x = 1\n"))
    for text in ("print(1)", "import os", "a = b = 1", "def f(:", "def f(): ...\n# lost", "# apart\n\ndef f(): ..."):
        with pytest.raises(SourceError):
            Definition(text).insert(parse("x = 1\n"))


def test_a_class_is_not_emptied():
    with pytest.raises(Edited, match="all that is left"):
        Definition("def a(self): ...", scope="C").remove(parse("class C:\n    def a(self): ...\n"))
