"""What is asked on a terminal, and how to answer it without one."""

from __future__ import annotations

import os
import pty
import select
import sys
import time
from pathlib import Path

import pytest

SCAFFOLD = str(Path(sys.executable).parent / "scaffold")


def talk(args: list[str], answers: list[tuple[str, str]], cwd: Path) -> tuple[int, str]:
    """Run the command on a terminal of its own; answer each prompt that appears. Returns exit code and screen."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(cwd)
        os.execv(SCAFFOLD, [SCAFFOLD, *args])
    screen, waiting, end = "", list(answers), time.monotonic() + 60
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                screen += os.read(terminal, 65536).decode(errors="replace")
            except OSError:
                break
        if waiting and waiting[0][0] in screen:
            os.write(terminal, waiting.pop(0)[1].encode() + b"\n")
    _, status = os.waitpid(pid, 0)
    assert not waiting, f"never asked for {waiting[0][0]!r}: {screen}"
    return os.waitstatus_to_exitcode(status), screen


def test_ascend_is_asked_for_the_document(workspace):
    code, screen = talk(["op", "rms_norm_gated", "--vendor", "ascend"], [("native op's document", "")], workspace)
    assert code == 0 and "is a stub" in screen


def test_the_document_that_was_named_is_read(workspace, tmp_path):
    document = tmp_path / "op.md"
    document.write_text("```\ntorch_npu.npu_rms_norm_gated(hidden_states, gate, weight, epsilon=1e-6) -> Tensor\n```\n")
    code, _ = talk(["op", "rms_norm_gated", "--vendor", "ascend"], [("native op's document", str(document))], workspace)
    text = (workspace / "dlinfer/dlinfer/vendor/ascend/torch_npu_ops.py").read_text()
    assert code == 0 and "torch.ops.npu.npu_rms_norm_gated(" in text


@pytest.mark.parametrize("flag", ["--no-native-doc", "--yes", "--json"])
def test_a_flag_answers_instead(workspace, flag):
    code, screen = talk(["op", "rms_norm_gated", "--vendor", "ascend", flag], [], workspace)
    assert code == 0 and "native op's document" not in screen


def test_other_vendors_are_not_asked(workspace):
    code, screen = talk(["op", "rms_norm_gated", "--vendor", "camb"], [], workspace)
    assert code == 0 and "native op's document" not in screen


def test_op_and_vendor_are_asked_for(workspace):
    answers = [("the op", "rms_norm_gated"), ("the vendor (ascend, camb, maca)", "maca")]
    code, screen = talk(["op"], answers, workspace)
    assert code == 0 and "maca_ops.py" in screen
