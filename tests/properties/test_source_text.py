"""Fragments and merges: what is printed parses back, and a merge never loses a line without saying so."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from generator.source.definition import Definition
from generator.source.dialect import from_file, tidy, to_file
from generator.source.export import Export
from generator.source.fragment import Fragment
from generator.source.merge import three_way
from generator.source.text import Source

QUICK = settings(max_examples=100, deadline=None)
WORD = st.from_regex(r"[a-z][a-z_.]{0,8}", fullmatch=True)
LINES = st.lists(st.from_regex(r"( {4}){0,2}[a-z#\"]{1,4}( +[a-z]+)?", fullmatch=True), min_size=1, max_size=8)
TEXT = LINES.map("\n".join)


@QUICK
@given(text=TEXT, path=WORD, layer=st.none() | WORD, note=st.none() | WORD, scope=st.just("") | WORD)
def test_fragments_round_trip(text, path, layer, note, scope):
    for insertion in (Definition(tidy(text), scope), Export(scope or "a")):
        fragment = Fragment(insertion, path, layer, note)
        assert Fragment.parse(str(fragment), "f") == fragment


@QUICK
@given(
    text=TEXT,
    file=st.sampled_from([b"", b"if x:\n\ty\n", b"if x:\r\n  y\r\n"]),
    prefix=st.sampled_from(["", " ", "\t"]),
)
def test_to_the_file_and_back(text, file, prefix):
    source = Source.parse(file, "a.py")
    assert from_file(to_file(text, source, prefix), source, prefix) == tidy(text)


@QUICK
@given(base=TEXT, ours=TEXT)
def test_a_merge_with_an_unchanged_side_is_the_other_side(base, ours):
    assert three_way(base, ours, base) == (tidy(ours), None)
    assert three_way(base, base, ours) == (tidy(ours), None)
    assert three_way(base, ours, ours) == (tidy(ours), None)


@QUICK
@given(base=LINES, mine=st.integers(0, 20), theirs=st.integers(0, 20))
def test_a_merge_keeps_both_edits_or_shows_both(base, mine, theirs):
    ours = [*base[:mine], "my_line = 1", *base[mine:]]
    new = [*base[:theirs], "their_line = 1", *base[theirs:]]
    text, conflict = three_way("\n".join(base), "\n".join(ours), "\n".join(new))
    shown = (text or conflict or "").split("\n")
    assert "my_line = 1" in shown and "their_line = 1" in shown
    assert (text is None) != (conflict is None)
