import pytest

from generator.source.errors import AnchorMissing, Edited
from generator.source.export import Export

from .kit import assert_edit, assert_laws, parse

EDITS = {
    "empty": ("__all__ = []", '__all__ = ["new"]'),
    "empty with a space": ("__all__ = [ ]", '__all__ = [ "new"]'),
    "empty over lines": ("__all__ = [\n]", '__all__ = [\n    "new",\n]'),
    "empty but for a comment": ("__all__ = [\n    # c\n]", '__all__ = [\n    "new",\n    # c\n]'),
    "empty tuple": ("__all__ = ()", '__all__ = ("new",)'),
    "one line": ("__all__ = ['b']", "__all__ = ['b', 'new']"),
    "one line, trailing comma": ('__all__ = ["b", ]', '__all__ = ["b", "new", ]'),
    "tuple of one": ('__all__ = ("b",)', '__all__ = ("b", "new",)'),
    "tuple without brackets": ('__all__ = "b", "a"', '__all__ = "b", "a", "new"'),
    "one a line": ('__all__ = [\n    "z",\n    "b",\n]', '__all__ = [\n    "z",\n    "b",\n    "new",\n]'),
    "one a line, no trailing comma": (
        '__all__ = [\n    "z",\n    "b"\n]',
        '__all__ = [\n    "z",\n    "b",\n    "new"\n]',
    ),
    "comment behind the last": (
        '__all__ = [\n    "z",\n    "b",  # why\n    # end\n]',
        '__all__ = [\n    "z",\n    "b",  # why\n    # end\n    "new",\n]',
    ),
    "comment behind the last without comma": (
        '__all__ = [\n    "z",\n    "b"  # why\n]',
        '__all__ = [\n    "z",\n    "b",  # why\n    "new"\n]',
    ),
    "visual indentation": ("__all__ = ['z',\n           'b']", "__all__ = ['z',\n           'b',\n           'new']"),
    "filled rows": (
        "__all__ = [\n    'z', 'b',\n    'y', 'c',\n]",
        "__all__ = [\n    'z', 'b',\n    'y', 'c',\n    'new',\n]",
    ),
    "one filled row": ("__all__ = [\n    'z', 'b'\n]", "__all__ = [\n    'z', 'b', 'new'\n]"),
    "sorted": ("__all__ = ['a', 'm', 'z']", "__all__ = ['a', 'm', 'new', 'z']"),
    "sorted without case": ("__all__ = ['a', 'M', 'z']", "__all__ = ['a', 'M', 'new', 'z']"),
    "sorted, one a line": (
        "__all__ = [\n    'm',\n    # about z\n    'z',\n]",
        "__all__ = [\n    'm',\n    'new',\n    # about z\n    'z',\n]",
    ),
    "sorted first": ("__all__ = [\n    'p',\n    'z',\n]", "__all__ = [\n    'new',\n    'p',\n    'z',\n]"),
    "sorted in filled rows keeps the rows": (
        "__all__ = [\n    'a', 'z',\n    'zz', 'zzz',\n]",
        "__all__ = [\n    'a', 'z',\n    'new',\n    'zz', 'zzz',\n]",
    ),
    "annotated": ("__all__: list[str] = ['b']", "__all__: list[str] = ['b', 'new']"),
    "extended": ("__all__ += ['b']", "__all__ += ['b', 'new']"),
    "the assignment, not what extends it": (
        "__all__ = ['b']\nif x:\n    __all__ += ['c']",
        "__all__ = ['b', 'new']\nif x:\n    __all__ += ['c']",
    ),
    "with a star": ("__all__ = [*a, 'b']", "__all__ = [*a, 'b', 'new']"),
    "CRLF": (
        '__all__ = [\r\n    "z",\r\n    "b",\r\n]\r\n',
        '__all__ = [\r\n    "z",\r\n    "b",\r\n    "new",\r\n]\r\n',
    ),
}


@pytest.mark.parametrize(("before", "after"), EDITS.values(), ids=EDITS.keys())
def test_insert(before, after):
    assert_edit(before, Export("new"), after)


@pytest.mark.parametrize("before", [before for before, _ in EDITS.values()], ids=EDITS.keys())
def test_three_names_come_out_in_any_order(before):
    assert_laws(parse(before), Export("new"), Export("aa"), Export("zzzz"))


def test_behind_a_neighbour():
    before = '__all__ = [\n    "rms_norm",\n    "linear",\n]\n'
    after = '__all__ = [\n    "rms_norm",\n    "new",\n    "linear",\n]\n'
    assert_edit(before, Export("new", after="rms_norm"), after)


def test_another_variable():
    assert_edit('vendor = ["camb", "ascend"]\n', Export("maca", "vendor"), 'vendor = ["camb", "ascend", "maca"]\n')


def test_in_a_class():
    assert_edit("class A:\n    names = ['b']\n", Export("new", "A.names"), "class A:\n    names = ['b', 'new']\n")


@pytest.mark.parametrize(
    "code", ["", "__all__ = x.__all__ + ['a']", "__all__ = names()", "def f():\n    __all__ = []", "a = b = []"]
)
def test_no_literal_list(code):
    with pytest.raises(AnchorMissing) as error:
        Export("new").insert(parse(code))
    assert error.value.where == "pkg/file.py" and "__all__" in error.value.what


def test_missing_neighbour():
    with pytest.raises(AnchorMissing, match="`gone`"):
        Export("new", after="gone").insert(parse("__all__ = ['a']"))


def test_an_entry_in_other_quotes_is_there():
    source = parse("__all__ = ['new']")
    assert Export("new").insert(source) is source


def test_a_comment_behind_the_entry_is_an_edit():
    source = parse('__all__ = [\n    "new",  # keep\n]')
    assert Export("new").find(source).edited
    with pytest.raises(Edited) as error:
        Export("new").remove(source)
    assert error.value.where == "pkg/file.py:2"
