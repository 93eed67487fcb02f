"""A ledger reads back as it was written, whatever bytes it holds."""

from hypothesis import given, settings
from hypothesis import strategies as st

from generator.plan.entry import Applied, Entry
from generator.plan.ledger import Page
from generator.source.export import Export
from generator.source.registry import to_dict

BYTES = st.binary(max_size=20) | st.text(max_size=20).map(lambda text: text.encode("utf-8", "surrogatepass"))
WORDS = st.text(max_size=8)
IDS = st.lists(st.from_regex(r"[a-z]{1,4}-[a-z_]{1,4}", fullmatch=True), min_size=1, max_size=3, unique=True)


@st.composite
def entries(draw):
    common = {"path": draw(WORDS), "layer": draw(st.none() | WORDS), "ids": tuple(sorted(draw(IDS)))}
    common |= {"what": draw(WORDS), "conflict": draw(st.none() | WORDS)}
    if draw(st.booleans()):
        return Entry(kind="create", name="x", anchor=None, content=draw(BYTES), **common)
    export = Export(draw(st.from_regex("[a-z]{1,3}", fullmatch=True)))
    return Entry(kind="insert", name=export.name, anchor=export.anchor, insertion=to_dict(export), **common)


@settings(max_examples=150, deadline=None)
@given(made=st.lists(entries(), max_size=4), folders=st.sets(WORDS, max_size=2), track=st.booleans())
def test_a_page_reads_back(made, folders, track):
    page = Page(folders=folders, track=track)
    for entry in made:
        page.add(entry)
    page.ids["op-x"] = Applied("op-x", "op", "x", ("camb",), "0.1", "op x", "2026-01-01")
    data = page.dump()
    again = Page.load(data, "ledger.json")
    assert again == page
    assert again.dump() == data


def test_an_empty_page_is_no_file():
    assert Page().dump() is None
