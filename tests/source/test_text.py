import sys

import pytest

from generator.source.errors import Unparsable
from generator.source.text import Source, deep_recursion

EXACT = {
    "empty": b"",
    "one newline": b"\n",
    "comment without newline": b"# c",
    "no final newline": b"x = 1",
    "blank lines at the end": b"x = 1\n\n\n",
    "BOM": b"\xef\xbb\xbfx = 1\n",
    "CRLF": b"def f():\r\n    return 1\r\n",
    "CRLF without final newline": b"def f():\r\n    return 1",
    "mixed newlines": b"x = 1\r\ny = 2\nz = 3\r\n",
    "tabs": b"def f():\n\tif x:\n\t\treturn 1\n",
    "form feed": b"x = 1\n\x0c\ny = 2\n",
    "latin-1 cookie": "# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1"),
    "gbk cookie": "# -*- coding: gbk -*-\nx = '算子'\n".encode("gbk"),
    "CJK identifier": "算子 = 1\n".encode(),
    "comments in odd places": b"class A:\n\n  # a\n  def f(self): pass\n\n  # b\n\n# c\n",
    "syntax newer than 3.11": b"type X[T] = list[T]\n\ndef f[T](x: T) -> T: ...\n",
}


@pytest.mark.parametrize("data", EXACT.values(), ids=EXACT.keys())
def test_bytes_come_back(data):
    assert Source.parse(data, "a.py").data == data


@pytest.mark.parametrize(
    ("data", "where"),
    [
        (b"x = (\n", "a.py"),
        (b"x = 1\ny = = 2\n", "a.py:2"),
        (b"x = '\xff'\n", "a.py"),
        (b"() if 0 else(lambda:())\n", "a.py"),  # LibCST raises a TypeError here
        (b"x = 1\n  # lost\n  ", "a.py"),  # and loses this comment
        (b"x = 1\n# astray\n    \n\n", "a.py"),  # and takes this one for a part of what is put above it
        (b"x = 1\r", "a.py"),
    ],
)
def test_what_cannot_be_given_back_is_refused_by_path(data, where):
    with pytest.raises(Unparsable) as error:
        Source.parse(data, "a.py")
    assert (error.value.where or "").startswith(where)
    assert error.value.next


def test_the_recursion_limit_is_put_back():
    before = sys.getrecursionlimit()
    with pytest.raises(ValueError), deep_recursion():
        assert sys.getrecursionlimit() > before
        raise ValueError
    assert sys.getrecursionlimit() == before


def test_a_source_with_the_same_module_is_the_same():
    source = Source.parse(b"x = 1\n", "a.py")
    assert source.with_module(source.module) is source


@pytest.mark.parametrize(("code", "quote"), [("x = 'a'\n", "'"), ('x = "a"\n', '"'), ("", '"'), ('"""a\'s"""\n', "'")])
def test_quote(code, quote):
    assert Source.parse(code.encode(), "a.py").quote == quote
