"""Edits and template changes of the same lines: nothing is lost, everything is listed, and resolving finishes it."""

from __future__ import annotations

import ast
import json

import pytest

from tests.conftest import snapshot

from .kit import change, release
from .test_edits import KERNEL, OPS

CALL = '    return vendor_ops_registry["rms_norm_gated"]'
BESIDE = "dlinfer/.scaffold/op-rms_norm_gated-camb/layer3/function.py.txt.conflict"


@pytest.fixture
def conflict(applied, newer):
    """The line that 1.1.0 puts a comment above is edited."""
    change(applied / OPS, CALL, "    mine = 1  # keep\n" + CALL)
    return newer


def test_the_shared_file_keeps_the_edit_and_parses(scaffold, applied, conflict):
    done = scaffold("update", "--template", conflict)
    text = (applied / OPS).read_text()
    assert done.code == 1
    assert "mine = 1  # keep" in text and "One call" not in text
    ast.parse(text)
    both = (applied / BESIDE).read_text()
    assert all(part in both for part in ("<<<<<<<", "mine = 1", "One call a vendor", ">>>>>>>"))
    assert "conflict:" in done.out and "llm.py:" in done.out and BESIDE.removeprefix("dlinfer/") in done.out
    assert "implementation interface." in (applied / "lmdeploy/lmdeploy/pytorch/backends/norm.py").read_text()


def test_status_shows_it(scaffold, applied, conflict):
    scaffold("update", "--template", conflict)
    assert BESIDE in scaffold("status").out
    document = json.loads(scaffold("status", "--json").out)
    assert [found["path"] for found in document["conflicts"]] == ["dlinfer/ops/llm.py"]


def test_it_stays_open_until_it_is_resolved(scaffold, applied, conflict):
    scaffold("update", "--template", conflict)
    before = snapshot(applied)
    again = scaffold("update", "--template", conflict)
    assert again.code == 1 and "conflict:" in again.out
    assert snapshot(applied) == before
    assert scaffold("update", "--check", "--template", conflict).code == 1


def test_resolved_in_the_file(scaffold, applied, conflict):
    scaffold("update", "--template", conflict)
    change(applied / OPS, "    mine = 1  # keep\n", "    # One call a vendor.\n    mine = 1  # keep, too\n")
    (applied / BESIDE).unlink()
    done = scaffold("update", "--template", conflict)
    assert done.code == 0, done.out
    assert "keep, too" in (applied / OPS).read_text()
    assert scaffold("update", "--check", "--template", conflict).code == 0
    assert not json.loads(scaffold("status", "--json").out)["conflicts"]


def test_resolved_by_taking_the_new_text(scaffold, applied, conflict):
    scaffold("update", "--template", conflict)
    change(applied / OPS, "    mine = 1  # keep\n", "    # One call a vendor.\n")
    done = scaffold("update", "--template", conflict)
    assert done.code == 0, done.out
    assert not (applied / BESIDE).exists()


def test_resolved_in_the_conflict_file(scaffold, applied, conflict):
    scaffold("update", "--template", conflict)
    lines = (applied / BESIDE).read_text().splitlines(keepends=True)
    cut = slice(next(i for i, line in enumerate(lines) if line.startswith("|||||||")), None)
    base = cut.start
    middle = next(i for i, line in enumerate(lines) if line.startswith("======="))
    whole = lines[:base] + lines[middle + 1 :]
    (applied / BESIDE).write_text("".join(line for line in whole if line[:7] not in ("<<<<<<<", ">>>>>>>")))
    done = scaffold("update", "--template", conflict)
    text = (applied / OPS).read_text()
    assert done.code == 0, done.out
    assert "mine = 1  # keep" in text and "# One call a vendor." in text
    assert not (applied / BESIDE).exists()
    ast.parse(text)


def test_a_later_version_waits_and_is_not_lost(scaffold, applied, conflict):
    scaffold("update", "--template", conflict)
    release(conflict, "1.2.0", {"shared/op/layer4/body.jinja": ("known yet", "known so far")})
    camb = applied / "dlinfer/dlinfer/vendor/camb/camb_ops.py"
    assert scaffold("update", "--template", conflict).code == 1
    assert "known so far" not in camb.read_text()
    (applied / BESIDE).unlink()
    assert scaffold("update", "--template", conflict).code == 0
    assert "known so far" in camb.read_text()


def test_inline(scaffold, applied, conflict):
    done = scaffold("update", "--template", conflict, "--inline")
    text = (applied / OPS).read_text()
    assert done.code == 1
    assert "<<<<<<< " in text and ">>>>>>> " in text and "mine = 1" in text and "One call a vendor" in text
    assert not (applied / BESIDE).exists()
    assert scaffold("update", "--template", conflict).code == 1
    assert json.loads(scaffold("status", "--json").out)["conflicts"]
    markers = ("<<<<<<<", "|||||||", "=======", ">>>>>>>")
    (applied / OPS).write_text("".join(line for line in text.splitlines(keepends=True) if line[:7] not in markers))
    done = scaffold("update", "--template", conflict)
    assert done.code == 0, done.out
    assert not json.loads(scaffold("status", "--json").out)["conflicts"]


def test_inline_keeps_crlf(scaffold, applied, conflict):
    (applied / OPS).write_bytes((applied / OPS).read_bytes().replace(b"\n", b"\r\n"))
    assert scaffold("update", "--template", conflict, "--inline").code == 1
    data = (applied / OPS).read_bytes()
    assert b"<<<<<<< " in data and data.count(b"\n") == data.count(b"\r\n")


def test_new_file_gets_git_markers(scaffold, applied, newer):
    change(applied / KERNEL, '"""RMS norm gated kernel."""', '"""My kernel."""')
    done = scaffold("update", "--template", newer)
    text = (applied / KERNEL).read_text()
    assert done.code == 1
    assert "<<<<<<< before updating\n" in text and "\n=======\n" in text and "\n>>>>>>> after updating\n" in text
    assert "My kernel." in text and "gated wrapper." in text
    again = scaffold("update", "--template", newer)
    assert again.code == 1 and (applied / KERNEL).read_text() == text
    lines = text.splitlines(keepends=True)
    (applied / KERNEL).write_text("".join(line for line in lines if line[:7] not in ("<<<<<<<", "=======", ">>>>>>>")))
    assert scaffold("update", "--template", newer).code == 0
    assert "My kernel." in (applied / KERNEL).read_text()


def test_undo_of_a_conflict_keeps_the_edit(scaffold, applied, conflict):
    scaffold("update", "--template", conflict)
    done = scaffold("undo", "rms_norm_gated")
    assert done.code == 1
    assert "mine = 1  # keep" in (applied / OPS).read_text()
