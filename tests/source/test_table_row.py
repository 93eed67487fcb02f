"""Rows into Markdown tables."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.source.errors import AnchorMissing, Edited
from generator.source.plain import Plain
from generator.source.registry import from_dict, to_dict
from generator.source.table_row import TableRow

PAGE = """\
# A

| Arch | B |
| --- | --- |
| `Alpha` | 1 |
| `Gamma` | 2 |

text

| Arch | B |
| --- | --- |
| `Zed` | 3 |
"""
ROW = TableRow("`Alpha`", "| `Beta` | 9 |")


def page(text=PAGE):
    return Plain("a.md", text.encode())


def test_a_row_goes_where_its_name_belongs():
    assert ROW.insert(page()).data.decode() == PAGE.replace("| 1 |\n", "| 1 |\n| `Beta` | 9 |\n")
    assert (
        TableRow("`Zed`", "| `Beta` | 9 |")
        .insert(page())
        .data.decode()
        .endswith("| --- | --- |\n| `Beta` | 9 |\n| `Zed` | 3 |\n")
    )


def test_found_twice_is_nothing_and_removed_exactly():
    done = ROW.insert(page())
    assert (ROW.find(done).line, ROW.find(done).edited) == (6, False)
    assert ROW.insert(done) is done
    assert ROW.remove(done).data == page().data
    assert from_dict(to_dict(ROW)) == ROW


def test_an_edited_row_is_kept():
    edited = Plain("a.md", ROW.insert(page()).data.replace(b"| 9 |", b"| 10 |"))
    with pytest.raises(Edited):
        ROW.remove(edited)
    assert ROW.rewrite(edited, "| `Beta` | 11 |").data.count(b"| 11 |") == 1


def test_no_such_table():
    with pytest.raises(AnchorMissing):
        TableRow("`Nope`", "| `Beta` | 9 |").insert(page())
    assert ROW.find(page("")) is None and ROW.remove(page("")).data == b""


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["\n", "\r\n"]), st.booleans(), st.text(alphabet="abAB_3", min_size=1, max_size=8))
def test_newlines_survive(newline, last, name):
    text = PAGE.replace("\n", newline)
    text = text if last else text.removesuffix(newline)
    row = TableRow("`Gamma`", f"| `{name}` | x |")
    done = row.insert(page(text))
    assert row.remove(done).data == text.encode()
    assert done.data.count(newline.encode()) == text.count(newline) + 1
