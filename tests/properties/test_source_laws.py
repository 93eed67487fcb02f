"""The promises of an edit, on files put together at random: minimal, idempotent, exact when taken out in any order."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from generator.source.dataclass_field import DataclassField
from generator.source.definition import Definition
from generator.source.dict_entry import DictEntry
from generator.source.elif_branch import ElifBranch
from generator.source.enum_member import EnumMember
from generator.source.export import Export
from generator.source.import_from import ImportFrom
from generator.source.import_module import Import
from generator.source.keyword_argument import KeywordArgument
from generator.source.statement import Statement
from generator.source.text import Source
from tests.source.kit import assert_laws

QUICK = settings(max_examples=60, deadline=None)

HEAD = st.sampled_from(
    [
        "",
        "# Copyright (c) A\n",
        "# Copyright (c) A\n\n",
        '"""Doc."""\n',
        '"""Doc."""\n\n',
        "# about\n",
        "#!/bin/x\n# y\n\n",
    ]
)
IMPORTS = st.lists(
    st.sampled_from(
        [
            "import os\n",
            "import torch\n",
            "\n",
            "from typing import List\n",
            "from .m import a, c\n",
            "from .m import (\n    a,  # why\n    c,\n)\n",
            "from .z import z  # noqa: F401\n",
            "# about the next\n",
            "try:\n    import fast\nexcept ImportError:\n    fast = None\n",
        ]
    ),
    unique=True,
    max_size=5,
).map("".join)
NAMES = st.sampled_from(
    [
        "[]",
        "[\n]",
        "['b']",
        "['a', 'b']",
        '[\n    "b",\n    "a",\n]',
        '[\n    "a",  # why\n    # end\n]',
        "('b',)",
        "[\n    'b', 'a',\n    'c',\n]",
    ]
).map("__all__ = {}\n".format)
REGISTRY = st.sampled_from(
    [
        "{}",
        "{'Ab': 1}",
        "{\n    # [One]\n    'Abc': (1, 2),  # why\n    # about it\n    'Abd': 3,\n    # [Two]\n    **other,\n}",
        "{\n    'Z': 1,\n    'A': 2\n    # end\n}",
    ]
).map("REGISTRY = {}\n".format)
ENUM = st.sampled_from(
    ["    A = 1\n", '    """Doc."""\n', "    A = 1\n\n    # section\n    B = 2\n\n    def f(self): ...\n"]
).map("class Op(Enum):\n{}".format)
DATA = st.sampled_from(
    ["    pass\n", "    x: int\n    y: int = 0  # why\n    # end\n", "    x: int = 0\n\n    def f(self): ...\n"]
).map("@dataclass\nclass Data:\n{}".format)
BRANCHES = st.sampled_from(
    [
        "        if k == 1:\n            return 1\n",
        "        if k == 1:\n            return 1\n        elif k == 2:\n            # two\n            return 2\n"
        "            # end\n",
        "        if k == 1: return 1\n        # elif\n        elif (k == 2):\n            return 2\n",
    ]
)
TAIL = st.sampled_from(
    ["", "        else:\n            return 0\n", "        # of else\n        else: return 0\n", "        return 0\n"]
)
DISPATCH = st.builds("class Backend:\n    @classmethod\n    def get(cls, k):\n{}{}".format, BRANCHES, TAIL)
FUNCTION = st.sampled_from(
    [
        "def work(x):\n    return make(x)\n",
        "def work(x):\n    y = make(\n        x,\n        k=1,\n    )\n\n    # result\n    return y\n",
        "@dec\ndef work(x):\n    if x:\n        buffers['a'] = make(x, **kw)\n    # end\n",
    ]
)
END = st.sampled_from(["", "\n", "\n\n# end\n", "\n\nif __name__ == '__main__':\n    work(1)\n"])


@st.composite
def files(draw) -> bytes:
    """A file with one of everything, in random order, layout, newline and indentation."""
    parts = draw(st.permutations([draw(one) for one in (NAMES, REGISTRY, ENUM, DATA, DISPATCH, FUNCTION)]))
    gaps = draw(st.lists(st.sampled_from(["", "\n", "\n\n"]), min_size=6, max_size=6))
    text = draw(HEAD) + draw(IMPORTS)
    text += "".join(gap + part for gap, part in zip(gaps, parts, strict=True)) + draw(END)
    text = draw(st.sampled_from([str, str.rstrip]))(text)
    unit = draw(st.sampled_from(["    ", "\t", "  "]))
    text = re.sub(r"(?m)^( {4})+", lambda match: unit * (len(match[0]) // 4), text)
    data = text.replace("\n", draw(st.sampled_from(["\n", "\r\n"]))).encode()
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + data


INSERTIONS = [
    Export("new"),
    Export("aa"),
    ImportFrom(".m", "b"),
    ImportFrom(".new", "New"),
    ImportFrom("typing", "Any", width="30"),
    Import("json"),
    Definition("def new(x):\n    return x"),
    Definition("# about\n@dec\ndef first(x): ...\n\n\nclass Second:\n    a = 1"),
    Definition("def third(x): ...", before="work"),
    Definition("def method(self):\n    return 1", scope="Backend"),
    Definition("def above(self): ...", scope="Backend", before="get"),
    DictEntry("REGISTRY", "Abce", "(\n    1,\n)"),
    DictEntry("REGISTRY", "Mmm", "1"),
    EnumMember("Op", "NEW = 1"),
    EnumMember("Op", "# other\nOTHER = 2"),
    DataclassField("Data", "new: int = 0"),
    DataclassField("Data", "other: list = field(\n    default_factory=list,\n)"),
    ElifBranch("Backend.get", "elif k == 10:\n    return 10"),
    ElifBranch("Backend.get", "# eleven\nelif k == 11:\n    from a import b\n\n    return b"),
    KeywordArgument("work", "make", "new=1"),
    KeywordArgument("work", "make", "more=[\n    1,\n]"),
    Statement("work", "buffers['new'] = 1"),
    Statement("work", "# why\nif is_ssm:\n    buffers['s'] = 1\n\nbuffers['t'] = 2"),
    Statement("", "Backend.get_it = work"),
]


@QUICK
@given(data=files(), insertions=st.lists(st.sampled_from(INSERTIONS), unique=True, min_size=1, max_size=3))
def test_laws(data, insertions):
    assert_laws(Source.parse(data, "pkg/file.py"), *insertions)


@QUICK
@given(data=files(), order=st.permutations(range(len(INSERTIONS))))
def test_everything_at_once_comes_out_in_any_order(data, order):
    source = edited = Source.parse(data, "pkg/file.py")
    for insertion in INSERTIONS:
        edited = insertion.insert(edited)
    reread = Source.parse(edited.data, edited.path)
    for index in order:
        edited, reread = INSERTIONS[index].remove(edited), INSERTIONS[index].remove(reread)
    assert edited.data == source.data
    assert reread.data == source.data
