"""Baseline and allow-list: what a project does with findings that it has already."""

from __future__ import annotations

from collections import Counter

import pytest

from generator.checks.allow import Allow, apply, read_allowed
from generator.checks.baseline import read_baseline, subtract, write_baseline
from generator.checks.engine import run_rules
from generator.checks.finding import Finding, Place
from generator.errors import ScaffoldError

from .kit import workspace

CAMB = "dlinfer:dlinfer/vendor/camb/camb_ops.py"


def finding(subject="f", line=1, **more):
    return Finding("OP002", "error", Place("dlinfer", "a.py", line), subject, "m", "n", vendors=("maca",), **more)


def test_a_baseline_takes_what_it_knows_and_no_more(tmp_path):
    write_baseline(tmp_path / "b.json", [finding("a"), finding("b"), finding("b", line=9)])
    kept, taken = subtract([finding("a"), finding("b"), finding("b"), finding("c")], read_baseline(tmp_path / "b.json"))
    assert [f.subject for f in kept] == ["c"] and taken == 3
    kept, _ = subtract([finding("b")] * 3, read_baseline(tmp_path / "b.json"))
    assert len(kept) == 1


def test_lines_that_move_do_not_make_a_finding_new():
    def found(above):
        space, overlay = workspace({CAMB: above + "def f():\n    return unknown\n"})
        return [f for f in run_rules(space, overlay=overlay).findings if f.rule == "OP011"]

    known = Counter(f.fingerprint for f in found(""))
    assert subtract(found("import math\n\n\n"), known)[0] == []


@pytest.mark.parametrize("text", ["", "[]", '{"schema": "other/1", "findings": []}', '{"schema": "check-baseline/1"}'])
def test_what_is_no_baseline_is_refused(tmp_path, text):
    (tmp_path / "b.json").write_text(text)
    with pytest.raises(ScaffoldError, match="baseline"):
        read_baseline(tmp_path / "b.json")


def test_a_baseline_that_is_not_there_says_how_to_write_one(tmp_path):
    with pytest.raises(ScaffoldError) as caught:
        read_baseline(tmp_path / "b.json")
    assert "--write-baseline" in caught.value.next


def test_an_entry_takes_what_it_is_about_and_idle_ones_are_named():
    entries = [Allow("OP002", "why", subject="*_w8a8"), Allow("OP003", "gone")]
    kept, taken, idle = apply([finding("linear_w8a8"), finding("linear")], entries)
    assert [f.subject for f in kept] == ["linear"] and taken == 1
    assert [entry.reason for entry in idle] == ["gone"]


def test_an_entry_for_one_vendor_does_not_take_another_ones_finding():
    both = Finding("OP002", "error", Place("dlinfer", "a.py"), "f", "m", "n", vendors=("maca", "camb"))
    assert not Allow("OP002", "why", vendor="maca").takes(both)
    assert Allow("OP002", "why", vendor="maca").takes(finding())


@pytest.mark.parametrize(
    "entry",
    [
        {"rule": "OP002"},
        {"rule": "OP002", "reason": " "},
        {"reason": "why"},
        {"rule": "OP002", "reason": "w", "x": "y"},
        3,
    ],
)
def test_an_entry_without_rule_or_reason_is_refused(tmp_path, entry):
    with pytest.raises(ScaffoldError) as caught:
        read_allowed({"check": {"allow": [entry]}}, tmp_path / "scaffold.toml")
    assert "entry 1" in caught.value.where
