"""The cache on disk: never the truth, never in the way."""

from __future__ import annotations

import multiprocessing
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.survey import cache


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("SCAFFOLD_NO_CACHE", raising=False)
    return tmp_path / "npu-scaffold"


def test_what_was_computed_once_is_kept(home):
    asked = []
    for _ in range(3):
        assert cache.remember("check", "k", lambda: asked.append(1) or {"a": [1, "é"]}) == {"a": [1, "é"]}
    assert asked == [1]


@settings(max_examples=60, deadline=None)
@given(data=st.binary(max_size=60), cut=st.integers(0, 60))
def test_a_file_that_was_cut_or_edited_is_computed_again(data, cut):
    cache.remember("edited", "k", lambda: {"v": 1})
    file = cache.folder("edited") / "k.json"
    whole = file.read_bytes()
    file.write_bytes(whole[:cut] + data)
    assert cache.remember("edited", "k", lambda: {"v": 1}) == {"v": 1}


def test_a_right_checksum_over_no_json_is_no_document(home):
    file = cache.folder("check") / "k.json"
    file.parent.mkdir(parents=True)
    file.write_bytes(cache._checksum(b"{") + b"\n{")
    assert cache.remember("check", "k", lambda: 7) == 7


def test_a_folder_that_cannot_be_written_is_no_failure(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert cache.remember("check", "k", lambda: 5) == 5


def test_it_can_be_switched_off(home, monkeypatch):
    monkeypatch.setenv("SCAFFOLD_NO_CACHE", "1")
    cache.remember("check", "k", lambda: 1)
    assert not home.exists()


def test_only_the_last_documents_are_kept(home):
    for number in range(40):
        cache.remember("check", f"k{number}", lambda: 1)
    assert len(list(cache.folder("check").glob("*.json"))) <= 24


def _work(number):
    return [cache.remember("shared", f"k{i % 3}", lambda: {"i": "x" * 20_000}) for i in range(30)]


def test_several_processes_may_use_it_at_once(home):
    with multiprocessing.get_context("fork").Pool(4) as pool:
        results = pool.map(_work, range(8))
    assert all(one == {"i": "x" * 20_000} for result in results for one in result)
    assert not [name for name in os.listdir(cache.folder("shared")) if name.startswith(".new-")]


def test_where_one_part_ends_counts():
    assert cache.digest(["ab", "c"]) != cache.digest(["a", "bc"])
    assert cache.digest(["a"]) == cache.digest([b"a"])
