from textwrap import indent

import pytest

from generator.source.definition import Definition
from generator.source.dict_entry import DictEntry
from generator.source.elif_branch import ElifBranch
from generator.source.enum_member import EnumMember
from generator.source.keyword_argument import KeywordArgument
from generator.source.merge import merge_symbol
from generator.source.statement import Statement

from .kit import parse

OLD = "def op(a):\n    x = 1\n    y = 2\n    z = 3\n    return x"
NEW = "def op(a, b):\n    x = 1\n    y = 2\n    z = 3\n    return x"
MINE = OLD.replace("z = 3", "z = 33  # mine")
BOTH = NEW.replace("z = 3", "z = 33  # mine")


def file(text):
    return parse(f"import os\n\n\n# above\n\n\n{text}\n\n\nlast = 1\n")


@pytest.mark.parametrize(
    ("there", "outcome", "then"),
    [
        (OLD, "replaced", NEW),
        (NEW, "unchanged", NEW),
        (MINE, "merged", BOTH),
        ("def renamed(a):\n    pass", "absent", "def renamed(a):\n    pass"),
    ],
)
def test_one_definition(there, outcome, then):
    merged = merge_symbol(file(there), Definition(OLD), Definition(NEW))
    assert (merged.outcome, merged.source.data, merged.conflict) == (outcome, file(then).data, None)
    again = merge_symbol(merged.source, Definition(NEW), Definition(NEW))
    assert again.source is merged.source


def test_the_same_fragment_changes_nothing():
    source = file(MINE)
    assert merge_symbol(source, Definition(OLD), Definition(OLD)).source is source


def test_a_moved_definition_is_merged_in_place():
    there = "if HAS_OP:\n" + indent(MINE, "    ") + "\nelse:\n    op = None"
    merged = merge_symbol(parse(there + "\n"), Definition(OLD), Definition(NEW))
    assert merged.outcome == "merged"
    assert merged.source.data.decode() == there.replace(indent(MINE, "    "), indent(BOTH, "    ")) + "\n"


def test_a_method_in_a_file_with_crlf_and_tabs():
    def cls(text):
        return parse(("class C:\n" + indent(text, "    ") + "\n").replace("    ", "\t").replace("\n", "\r\n").encode())

    merged = merge_symbol(cls(MINE), Definition(OLD, "C"), Definition(NEW, "C"))
    assert merged.source.data == cls(BOTH).data


def test_a_conflict_leaves_the_file_and_shows_all_three():
    source = file(OLD.replace("def op(a)", "def op(a, mine)"))
    merged = merge_symbol(source, Definition(OLD), Definition(NEW))
    assert merged.outcome == "conflict" and merged.source is source
    lines = merged.conflict.splitlines()
    marks = [line for line in lines if line[:3] in ("<<<", "|||", "===", ">>>")]
    assert marks == ["<<<<<<< yours", "||||||| old template", "=======", ">>>>>>> new template"]
    assert {"def op(a, mine):", "def op(a):", "def op(a, b):"} <= set(lines)


def test_a_formatter_is_looked_through():
    source = file(OLD.replace("def op(a):", "def op( a ):"))
    assert merge_symbol(source, Definition(OLD), Definition(NEW)).outcome == "conflict"
    merged = merge_symbol(source, Definition(OLD), Definition(NEW), lambda text: text.replace("( a )", "(a)"))
    assert (merged.outcome, merged.source.data) == ("merged", file(NEW).data)


def test_comments_and_decorators_are_merged_too():
    old, new = f"# about\n@dec(1)\n{OLD}", f"# about it\n@dec(1)\n{OLD}"
    merged = merge_symbol(file(old.replace("x = 1", "x = 7")), Definition(old), Definition(new))
    assert merged.source.data == file(new.replace("x = 1", "x = 7")).data


def test_a_part_that_is_new_comes_beside_the_others_and_a_dropped_one_goes():
    old = Definition("def a():\n    return 1\n\n\ndef b():\n    return 1")
    new = Definition("def a():\n    return 1\n\n\ndef c():\n    return 1")
    merged = merge_symbol(file(old.text), old, new)
    assert (merged.outcome, merged.source.data) == ("replaced", file(new.text).data)
    edited = file(old.text.replace("def b():\n    return 1", "def b():\n    return 2"))
    kept = merge_symbol(edited, old, new)
    assert kept.outcome == "conflict" and kept.source is edited


def test_a_part_that_was_deleted_stays_deleted():
    old = Definition("def a():\n    return 1\n\n\ndef b():\n    return 1")
    new = Definition(old.text.replace("return 1", "return 2"))
    merged = merge_symbol(file("def b():\n    return 1"), old, new)
    assert merged.source.data == file("def b():\n    return 2").data


@pytest.mark.parametrize(
    ("make", "old", "mine", "new", "both", "frame"),
    [
        (
            lambda text: ElifBranch("f", text),
            "elif x == 2:\n    a = 1\n    b = 2\n    c = 3",
            "elif x == 2:\n    a = 1\n    b = 2\n    c = 33",
            "elif x == 2:\n    a = 11\n    b = 2\n    c = 3",
            "elif x == 2:\n    a = 11\n    b = 2\n    c = 33",
            ("def f(x):\n    if x == 1:\n        pass\n", "    ", "    else:\n        pass\n"),
        ),
        (
            lambda text: Statement("f", text),
            'b["a"] = 1\nb["b"] = 2\nb["c"] = 3',
            'b["a"] = 1\nb["b"] = 2\nb["c"] = 33',
            'b["a"] = 11\nb["b"] = 2\nb["c"] = 3',
            'b["a"] = 11\nb["b"] = 2\nb["c"] = 33',
            ("def f(x):\n    first()\n\n    # mine\n\n", "    ", "\n    return x\n"),
        ),
        (
            lambda text: DictEntry("d", "k", text),
            "[\n    1,\n    2,\n    3,\n]",
            "[\n    1,\n    2,\n    33,\n]",
            "[\n    11,\n    2,\n    3,\n]",
            "[\n    11,\n    2,\n    33,\n]",
            ("d = {\n    'a': 1,\n    'k': ", "    ", "    'z': 1,\n}\n"),
        ),
        (
            lambda text: KeywordArgument("", "g", text),
            "k=[\n    1,\n    2,\n    3,\n]",
            "k=[\n    1,\n    2,\n    33,\n]",
            "k=[\n    11,\n    2,\n    3,\n]",
            "k=[\n    11,\n    2,\n    33,\n]",
            ("g(\n    a,\n    ", "    ", "    z=1,\n)\n"),
        ),
        (
            lambda text: EnumMember("E", text),
            "# a\n# b\n# c\nK = 1",
            "# a\n# b\n# c\nK = 2",
            "# aa\n# b\n# c\nK = 1",
            "# aa\n# b\n# c\nK = 2",
            ("class E:\n    A = 1\n\n", "    ", "    Z = 1\n"),
        ),
    ],
)
def test_every_kind_with_a_text(make, old, mine, new, both, frame):
    head, prefix, tail = frame

    def whole(text):
        text = indent(text, prefix)
        if head.endswith(("'k': ", ",\n    ")):
            text = text.removeprefix(prefix) + ","
        return parse(f"{head}{text}\n{tail}")

    for there, outcome, then in ((old, "replaced", new), (mine, "merged", both), (new, "unchanged", new)):
        merged = merge_symbol(whole(there), make(old), make(new))
        assert (merged.outcome, merged.source.data) == (outcome, whole(then).data)
    assert merge_symbol(parse("x = 1\n"), make(old), make(new)).outcome == "absent"
