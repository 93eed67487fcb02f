"""`scaffold check` from a folder outside the checkouts."""

from __future__ import annotations

import json
import subprocess

import pytest

from generator.cli.main import run

OPS = (
    "__all__ = []\n\nfrom registry import vendor_ops_registry\n\n\ndef f(a, b):\n"
    '    return vendor_ops_registry["f"](a, b)\n'
)
CAMB = (
    "from registry import register_ops, vendor_ops_registry\n\n\n"
    "@register_ops(vendor_ops_registry)\ndef f(a, b):\n    return F.pad(a, b)\n"
)
FILES = {
    "dlinfer/dlinfer/__init__.py": "",
    "dlinfer/dlinfer/ops/__init__.py": "from .llm import *\n",
    "dlinfer/dlinfer/ops/llm.py": OPS,
    "dlinfer/dlinfer/vendor/__init__.py": "",
    "dlinfer/dlinfer/vendor/camb/__init__.py": "",
    "dlinfer/dlinfer/vendor/camb/camb_ops.py": CAMB,
    "lmdeploy/lmdeploy/__init__.py": "",
    "lmdeploy/lmdeploy/pytorch/__init__.py": "",
}


@pytest.fixture
def world(tmp_path, monkeypatch):
    """A workspace folder, the current folder beside it, and a cache of the test's own."""
    for path, text in FILES.items():
        (tmp_path / "w" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "w" / path).write_text(text)
    for repo in ("dlinfer", "lmdeploy"):
        commands = (
            ["init", "-q"],
            ["add", "-A"],
            ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "x"],
        )
        for words in commands:
            subprocess.run(["git", *words], cwd=tmp_path / "w" / repo, check=True)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "w"


def check(world, *words):
    return run(["check", "--workspace", str(world), *words])


def document(capsys):
    return json.loads(capsys.readouterr().out)


def test_errors_exit_1_and_say_where(world, capsys):
    assert check(world) == 1
    out = capsys.readouterr().out
    assert "dlinfer/dlinfer/ops/llm.py:1: error OP007 f" in out
    assert "next: " in out


def test_a_second_run_gives_the_same_document(world, capsys):
    assert check(world, "--json") == 1
    first = document(capsys)
    check(world, "--json")
    assert document(capsys) == first
    (world / "dlinfer/dlinfer/vendor/camb/camb_ops.py").write_text(CAMB.replace("F.pad", "G.pad"))
    check(world, "--json")
    assert document(capsys) != first


def test_a_selection_by_rule_op_and_vendor(world, capsys):
    assert check(world, "--rule", "OP011", "--json") == 1
    assert {f["rule"] for f in document(capsys)["findings"]} == {"OP011"}
    assert check(world, "--vendor", "maca", "--rule", "OP011", "--json") == 0
    assert check(world, "--op", "other*", "--rule", "OP007") == 0


@pytest.mark.parametrize("words", [["--rule", "OP9"], ["--vendor", "nobody"], ["--baseline", "none.json"]])
def test_wrong_usage_exits_2(world, capsys, words):
    assert check(world, *words) == 2
    assert "next:" in capsys.readouterr().err


def test_without_a_checkout_it_exits_2(tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    assert run(["check", "--workspace", str(tmp_path / "empty")]) == 2


def test_fixes_are_a_plan_that_can_be_taken_back(world, capsys):
    before = {p: p.read_bytes() for p in world.rglob("*.py")}
    assert check(world, "--fix", "--dry-run", "--diff") == 0
    assert {p: p.read_bytes() for p in world.rglob("*.py")} == before
    assert "+import torch.nn.functional as F" in capsys.readouterr().out
    assert check(world, "--fix") == 0
    assert check(world) == 0
    assert run(["undo", "fix", "--workspace", str(world)]) == 0
    assert {p: p.read_bytes() for p in world.rglob("*.py")} == before


def test_only_what_the_working_tree_changed(world, capsys):
    assert check(world, "--changed") == 0
    ops = world / "dlinfer/dlinfer/ops/llm.py"
    ops.write_text(OPS + "\n\ndef helper():\n    return 1\n")
    assert check(world, "--changed") == 0
    file = world / "dlinfer/dlinfer/vendor/camb/camb_ops.py"
    file.write_text(CAMB.replace("F.pad", "G.pad"))
    assert check(world, "--changed", "--json") == 1
    capsys.readouterr()
    check(world, "--changed", "--json")
    assert {f["rule"] for f in document(capsys)["findings"] if f["severity"] == "error"} == {"OP011"}


def test_a_baseline_and_an_allow_list(world, capsys):
    assert check(world, "--write-baseline", "b.json") == 0
    assert check(world, "--baseline", "b.json") == 0
    allow = "".join(f'[[check.allow]]\nrule = "{rule}"\nreason = "known"\n' for rule in ("OP007", "OP011"))
    with open("scaffold.toml", "w") as file:
        file.write(allow)
    assert check(world) == 0
    assert "2 allowed" in capsys.readouterr().out


def test_a_rule_is_explained(capsys):
    assert run(["check", "--explain", "op003"]) == 0
    out = capsys.readouterr().out
    assert "OP003" in out and "not reported" in out
    assert run(["check", "--explain", "nothing"]) == 2


def test_the_checklist_closes_rows_by_rules_and_by_evidence(world, tmp_path, capsys):
    assert check(world, "--checklist", "--vendor", "camb", "--json") == 1
    rows = {row["id"]: row for row in document(capsys)["rows"]}
    assert all(row["rules"] or row["command"] for row in rows.values())
    row = next(row for row in rows.values() if "eager" in row["what"])
    log = tmp_path / "run.log"
    log.write_text(f"+ {row['command'].replace('MODEL', '/models/x')}\nHello, world\nexit 0\n")
    check(world, "--checklist", "--vendor", "camb", "--evidence", str(log), "--json")
    closed = {r["id"]: r for r in document(capsys)["rows"]}[row["id"]]
    assert closed["status"] == "closed" and "sha256" in closed["why"]


@pytest.mark.parametrize(
    ("end", "status"),
    [("exit 1", "failed"), ("Traceback (most recent call last):\nexit 0", "failed"), ("exit 0", "closed")],
)
def test_a_log_says_itself_how_the_run_ended(world, tmp_path, capsys, end, status):
    check(world, "--checklist", "--vendor", "camb", "--json")
    row = next(row for row in document(capsys)["rows"] if "graph mode" in row["what"])
    (tmp_path / "run.log").write_text(f"+ {row['command'].replace('MODEL', 'm')}\nsome output\n{end}\n")
    check(world, "--vendor", "camb", "--evidence", str(tmp_path / "run.log"), "--json")
    assert {r["id"]: r for r in document(capsys)["rows"]}[row["id"]]["status"] == status


@pytest.mark.parametrize("text", ["", "no end\n", "+ python other.py\nx\nexit 0\n"])
def test_what_is_no_evidence_is_refused(world, tmp_path, capsys, text):
    (tmp_path / "run.log").write_text(text)
    assert check(world, "--checklist", "--evidence", str(tmp_path / "run.log")) == 2
