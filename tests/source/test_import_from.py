import subprocess
import sys

import pytest

from generator.source.errors import Edited, Taken
from generator.source.import_from import ImportFrom

from .kit import assert_edit, assert_laws, parse

SORTED = """\
import os

import torch

from pkg.a import f

from ..base import A
from .norm import B
from .z import zz

x = 1
"""


@pytest.mark.parametrize(
    ("module", "item", "line"),
    [
        (".norm_gated", "G", "from .norm_gated import G"),
        (".aa", "G", "from .aa import G"),
        ("..other", "G", "from ..other import G"),
        ("...top", "G", "from ...top import G"),
        ("pkg.b", "G", "from pkg.b import G"),
        ("typing", "Any", "from typing import Any"),
        ("numpy", "array", "from numpy import array"),
        (".norm", "C", "from .norm import B, C"),
        (".norm", "Aa", "from .norm import Aa, B"),
        (".norm", "CONST", "from .norm import CONST, B"),
        (".norm", "function", "from .norm import B, function"),
    ],
)
def test_a_sorted_file_stays_sorted_for_ruff(module, item, line, tmp_path):
    insertion = ImportFrom(module, item)
    source = insertion.insert(parse(SORTED))
    assert f"\n{line}\n" in source.data.decode()
    assert_laws(parse(SORTED), insertion)
    path = tmp_path / "pkg" / "file.py"
    path.parent.mkdir()
    (path.parent / "__init__.py").touch()
    path.write_bytes(source.data)
    ruff = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", "I", str(path)]
    assert subprocess.run(ruff, capture_output=True, cwd=tmp_path).returncode == 0


EDITS = {
    "one line grows": ("from .m import b, a\n", "from .m import b, a, n\n"),
    "one a line": ("from .m import (\n    b,\n    a,\n)\n", "from .m import (\n    b,\n    a,\n    n,\n)\n"),
    "one a line, sorted": (
        "from .m import (\n    m,  # why\n    o,\n)\n",
        "from .m import (\n    m,  # why\n    n,\n    o,\n)\n",
    ),
    "no trailing comma": ("from .m import (\n    b,\n    a\n)\n", "from .m import (\n    b,\n    a,\n    n\n)\n"),
    "brackets on one line": ("from .m import (b, a)\n", "from .m import (b, a, n)\n"),
    "no space behind commas": ("from .m import b,a\n", "from .m import b,a, n\n"),
    "backslash": ("from .m import b, \\\n    a\n", "from .m import b, \\\n    a, \\\n    n\n"),
    "unsorted lines: at the end of the block": (
        "import torch\nfrom .z import z\nfrom .a import a\n\nx = 1\n",
        "import torch\nfrom .z import z\nfrom .a import a\nfrom .m import n\n\nx = 1\n",
    ),
    "no imports": ("x = 1\n", "from .m import n\n\nx = 1\n"),
    "no imports, a function": ("def f(): ...\n", "from .m import n\n\n\ndef f(): ...\n"),
    "below the docstring": ('"""Doc."""\n\nx = 1\n', '"""Doc."""\n\nfrom .m import n\n\nx = 1\n'),
    "below the licence": ("# Copyright (c)\n\nx = 1\n", "# Copyright (c)\n\nfrom .m import n\n\nx = 1\n"),
    "below an attached licence": ("# Copyright (c)\nx = 1\n", "# Copyright (c)\nfrom .m import n\n\nx = 1\n"),
    "above a comment of the first statement": ("# about x\nx = 1\n", "from .m import n\n\n# about x\nx = 1\n"),
    "below __future__": (
        "from __future__ import annotations\n\nx = 1\n",
        "from __future__ import annotations\n\nfrom .m import n\n\nx = 1\n",
    ),
    "empty file": ("", "from .m import n\n"),
    "not under TYPE_CHECKING": (
        "import os\n\nif TYPE_CHECKING:\n    from .m import n\n",
        "import os\n\nfrom .m import n\n\nif TYPE_CHECKING:\n    from .m import n\n",
    ),
    "noqa as its neighbours": (
        "from .a import a  # noqa: F401\nfrom .z import z  # noqa: F401\n",
        "from .a import a  # noqa: F401\nfrom .m import n  # noqa: F401\nfrom .z import z  # noqa: F401\n",
    ),
    "noqa behind each name": (
        "from .m import (\n    a,  # noqa: F401\n    z,  # noqa: F401\n)\n",
        "from .m import (\n    a,  # noqa: F401\n    n,  # noqa: F401\n    z,  # noqa: F401\n)\n",
    ),
    "aliases keep a line of their own": ("from .m import a as b\n", "from .m import a as b\nfrom .m import n\n"),
    "beside a star": ("from .m import *\n", "from .m import *\nfrom .m import n\n"),
    "between code": (
        "import sys\nsys.x = 1\nfrom .a import b\n",
        "import sys\nsys.x = 1\nfrom .a import b\nfrom .m import n\n",
    ),
    "CRLF": ("from .m import b\r\n\r\nx = 1\r\n", "from .m import b, n\r\n\r\nx = 1\r\n"),
}


@pytest.mark.parametrize(("before", "after"), EDITS.values(), ids=EDITS.keys())
def test_insert(before, after):
    assert_edit(before, ImportFrom(".m", "n"), after)


@pytest.mark.parametrize("before", [before for before, _ in EDITS.values()], ids=EDITS.keys())
def test_three_imports_come_out_in_any_order(before):
    insertions = [ImportFrom(".m", "n"), ImportFrom(".m", "K"), ImportFrom(".m", "o", alias="p")]
    assert_laws(parse(before), *insertions)
    assert_laws(parse(before), *[ImportFrom(one.module, one.item, one.alias, "16") for one in insertions])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from .m import a, bbbbb\n", "from .m import (\n    a,\n    bbbbb,\n    n,\n)\n"),
        (
            "from .m import a  # why\n",
            "from .m import (  # why\n    a,\n    n,\n)\n",
        ),
        ("from .m import a, bb  # noqa: F401\n", "from .m import a, bb, n  # noqa: F401\n"),
        ("from .m import (a, bbb)\n", "from .m import (a, bbb,\n    n)\n"),
        ("from .m import a,bbbbbb\n", "from .m import a,bbbbbb, \\\n    n\n"),
        ("from .mm import aa, bbbbbbbb\n", "from .mm import aa, bbbbbbbb\nfrom .m import n\n"),
    ],
)
def test_a_line_that_would_grow_beyond_the_width_is_broken(before, after):
    insertion = ImportFrom(".m", "n", width="24")
    if ".mm" in before:  # too long already: nothing is done about it
        insertion, after = ImportFrom(".mm", "n", width="24"), "from .mm import aa, bbbbbbbb, n\n"
    assert_edit(before, insertion, after)


def test_a_new_line_that_is_too_long_is_broken():
    assert_edit("x = 1\n", ImportFrom(".mmmm", "nnnn", width="20"), "from .mmmm import (\n    nnnn,\n)\n\nx = 1\n")


@pytest.mark.parametrize(
    "code", ["try:\n    from .m import n\nexcept ImportError:\n    n = None\n", "from .m import n as n, k\n"]
)
def test_an_import_in_a_try_is_there(code):
    source = parse(code.replace(" as n", ""))
    assert ImportFrom(".m", "n").insert(source) is source


@pytest.mark.parametrize(
    "code", ["from .other import n\n", "import n\n", "def n(): ...\n", "n = 1\n", "if x:\n    n = 1\n"]
)
def test_a_name_bound_to_something_else(code):
    with pytest.raises(Taken) as error:
        ImportFrom(".m", "n").insert(parse(code))
    assert (error.value.where or "").startswith("pkg/file.py:")


def test_a_comment_is_an_edit_but_noqa_is_not():
    with pytest.raises(Edited):
        ImportFrom(".m", "n").remove(parse("from .m import n  # why\n"))
    assert ImportFrom(".m", "n").remove(parse("from .m import n  # noqa\n")).data == b""


def test_brackets_that_the_width_explains_are_taken_for_ours():
    """The one layout that cannot be told apart: it fits on one line, and with the name it would not."""
    source = parse("from .m import (\n    a,\n    bbbbb,\n)\n")
    insertion = ImportFrom(".m", "n", width="24")
    assert insertion.remove(insertion.insert(source)).data == b"from .m import a, bbbbb\n"
    wide = ImportFrom(".m", "n")
    assert wide.remove(wide.insert(source)).data == source.data
