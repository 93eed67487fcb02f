"""The installed command as a stranger meets it: help, completion, wrong commands, exit codes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCAFFOLD = str(Path(sys.executable).parent / "scaffold")
HEAVY = ("libcst", "jinja2", "copier", "black", "yaml", "rich", "pydantic")


def call(*args: str, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
    """Run the installed command in a process of its own, without a terminal."""
    return subprocess.run(
        [SCAFFOLD, *args],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, **env},
        stdin=subprocess.DEVNULL,
        check=False,
    )


@pytest.mark.parametrize("args", [("--help",), ("-h",), ("op", "--help"), ("undo", "--help"), ("status", "--help")])
def test_help(args):
    done = call(*args)
    assert done.returncode == 0 and "Usage: scaffold" in done.stdout and done.stderr == ""


def test_help_has_examples():
    assert "scaffold op rms_norm_gated --vendor camb" in call("op", "--help").stdout


def test_help_and_version_load_nothing_heavy():
    code = "import sys; from generator.cli.main import run; run(['--help']); "
    code += f"sys.exit(any(m in sys.modules for m in {HEAVY}))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0
    assert call("--version").stdout.startswith("scaffold ")


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("opp",), "Did you mean 'op'?"),
        (("op", "x", "--vendr", "camb"), "--vendor"),
        (("op", "x", "--format", "xml"), "xml"),
        (("undo",), "Missing argument"),
    ],
)
def test_wrong_usage(args, says):
    done = call(*args)
    assert done.returncode == 2 and says in done.stderr and done.stdout == "" and "Traceback" not in done.stderr


def test_no_workspace(tmp_path):
    done = call("op", "rms_norm_gated", "--vendor", "camb", cwd=tmp_path, HOME=str(tmp_path))
    assert done.returncode == 2 and "no lmdeploy checkout found" in done.stderr and "--lmdeploy DIR" in done.stderr


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["scaffold", "op", "x", "--vendor", "c"], {"camb"}),
        (["scaffold", "op", "rms_norm_w"], {"rms_norm_w8a8"}),
        (["scaffold", "op", "x", "--op-type", "SoftmaxT"], {"SoftmaxTopK"}),
        (["scaffold", "sand"], {"sandbox"}),
    ],
)
def test_completion(words, offered, workspace):
    env = {"_SCAFFOLD_COMPLETE": "complete_bash", "COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    assert set(call(cwd=workspace, **env).stdout.split()) == offered


def test_completion_outside_a_workspace_is_silent(tmp_path):
    env = {
        "_SCAFFOLD_COMPLETE": "complete_bash",
        "COMP_WORDS": "scaffold op r",
        "COMP_CWORD": "2",
        "HOME": str(tmp_path),
    }
    done = call(cwd=tmp_path, **env)
    assert done.stdout.strip() == "" and done.stderr == ""


def test_json_goes_to_stdout_and_errors_to_stderr(workspace):
    import json

    done = call("op", "rms_norm_gated", "--vendor", "camb", "--format", "json", cwd=workspace)
    assert json.loads(done.stdout)["id"] == "op-rms_norm_gated-camb" and done.stderr == ""
    done = call("op", "class", "--vendor", "camb", "--format", "json", cwd=workspace)
    assert done.returncode == 2 and done.stdout == "" and done.stderr.startswith("error: ")


def test_checkouts_by_flag_and_environment(workspace, tmp_path):
    flags = [f"--{repo}={workspace / repo}" for repo in ("lmdeploy", "dlinfer")]
    assert call("op", "rms_norm_gated", "--vendor", "camb", "--dry-run", *flags, cwd=tmp_path).returncode == 0
    assert call("status", cwd=tmp_path, SCAFFOLD_WORKSPACE=str(workspace)).returncode == 0
    (tmp_path / "scaffold.toml").write_text(f'workspace = "{workspace}"\n')
    assert call("op", "rms_norm_gated", "--vendor", "camb", "--dry-run", cwd=tmp_path).returncode == 0


def test_the_sandbox_demo(tmp_path):
    done = call("sandbox", str(tmp_path / "box"), "--demo")
    assert done.returncode == 0 and "diff --git" in done.stdout and done.stdout.count("is a stub") == 3
    again = call("sandbox", str(tmp_path / "box"))
    assert again.returncode == 2 and "error: " in again.stderr


@pytest.mark.parametrize("places", [1, 7, 19])
def test_a_killed_run_is_settled_by_the_next_command_which_says_so(workspace, places):
    code = (
        "import os, generator.plan.disk as disk\n"
        "from generator.cli.main import run\n"
        "count = 0\n"
        "real = os.replace\n"
        "def replace(*args, **kwargs):\n"
        "    global count\n"
        "    count += 1\n"
        f"    if count == {places}: os._exit(137)\n"
        "    return real(*args, **kwargs)\n"
        "os.replace = replace\n"
        "run(['op', 'rms_norm_gated', '--vendor', 'camb'])\n"
    )
    killed = subprocess.run([sys.executable, "-c", code], cwd=workspace, capture_output=True, check=False)
    assert killed.returncode == 137
    done = call("status", cwd=workspace)
    assert done.returncode == 0 and ("has been finished" in done.stderr or "has been reverted" in done.stderr)
    finished = "has been finished" in done.stderr
    changed = subprocess.run(
        ["git", "status", "--porcelain"], cwd=workspace / "dlinfer", capture_output=True, text=True, check=True
    )
    assert bool(changed.stdout) == finished and ("op-rms_norm_gated-camb" in done.stdout) == finished
