"""Files that cannot be read: one finding about each, no crash, no silent skip."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.checks.engine import run_rules
from generator.checks.rule import all_rules

from .kit import workspace

CAMB = "dlinfer:dlinfer/vendor/camb/camb_ops.py"
MODEL = "lmdeploy:lmdeploy/pytorch/models/m.py"
BAD = {
    "a syntax error": b"def f(:\n",
    "another encoding": "x = 'é'\n".encode("latin-1"),
    "UTF-16": "x = 1\n".encode("utf-16"),
    "an unknown encoding": b"# coding: none-such\nx = 1\n",
    "five megabytes": b"x = 1\n" * 900_000,
    "deep nesting": b"x = " + b"(" * 3000 + b")" * 3000,
    "a deep sum": b"x = 1" + b" + 1" * 60_000,
    "a null byte": b"x = 1\n\0\n",
}


@pytest.mark.parametrize("place", [CAMB, MODEL])
@pytest.mark.parametrize("data", BAD.values(), ids=BAD.keys())
def test_one_finding_for_a_file_that_cannot_be_read(place, data):
    space, overlay = workspace({place: data, "dlinfer:dlinfer/ops/llm.py": "x = 1\n"})
    findings = run_rules(space, overlay=overlay).findings
    here = [f for f in findings if f"{f.place.repo}:{f.place.path}" == place and f.severity == "error"]
    assert [f.rule for f in here] == ["E001"]


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_either_read_or_reported(data):
    space, overlay = workspace({CAMB: data})
    findings = run_rules(space, [all_rules()["E001"], all_rules()["OP011"]], overlay=overlay).findings
    assert len([f for f in findings if f.rule == "E001"]) <= 1


def test_a_bad_file_does_not_hide_what_the_others_have():
    files = {MODEL: b"def f(:\n", CAMB: b"def f():\n    return unknown\n"}
    space, overlay = workspace(files)
    assert {f.rule for f in run_rules(space, overlay=overlay).findings if f.severity == "error"} == {"E001", "OP011"}
