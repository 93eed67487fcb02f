import pytest

from generator.source.errors import Taken
from generator.source.import_module import Import

from .kit import assert_edit, assert_laws, parse


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import abc\nimport os\n", "import abc\nimport new\nimport os\n".replace("new", "json")),
        ("from typing import Any\n", "import json\nfrom typing import Any\n"),
        ("import torch\n\nx = 1\n", "import json\n\nimport torch\n\nx = 1\n"),
        ("import os, sys\n", "import json\nimport os, sys\n"),
    ],
)
def test_insert(before, after):
    assert_edit(before, Import("json"), after)


def test_alias():
    assert_edit("import torch\n", Import("torch_mlu_ops", "tmo"), "import torch\nimport torch_mlu_ops as tmo\n")


def test_submodules_beside_each_other():
    assert_laws(parse("import mcoplib._C\n"), Import("mcoplib._moe_C"), Import("mcoplib"))


def test_one_of_several_on_a_line_is_there_and_comes_out():
    source = parse("import os, json\n")
    assert Import("json").insert(source) is source
    assert Import("json").remove(source).data == b"import os\n"


@pytest.mark.parametrize("code", ["json = 1\n", "def json(): ...\n"])
def test_taken(code):
    with pytest.raises(Taken):
        Import("json").insert(parse(code))
