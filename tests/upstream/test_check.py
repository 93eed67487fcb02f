"""`scaffold check` over real packages: what is really wrong between them is reported, and what is right is not.

The wheel of dlinfer holds one vendor, so what other vendors lack shows only on full checkouts
(`scripts/check_truth.py`).
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from generator.checks.engine import run_rules
from generator.workspace.checkout import Workspace

from . import packages

SCRIPTS = Path(__file__).parents[2] / "scripts"
NEWEST = packages.ERAS[-1]


@pytest.fixture(scope="module")
def findings(lmdeploy_sources, dlinfer_sources):
    workspace = Workspace({"lmdeploy": lmdeploy_sources(NEWEST), "dlinfer": dlinfer_sources})
    return run_rules(workspace).findings


# Rule, end of the path, line (0: any), subject, severities: all verified by reading both sides.
REAL = [
    ("OP005", "transformers_ext/internvl.py", 14, "prefill_attention", "error"),
    ("OP005", "transformers_ext/cogvlm.py", 12, "prefill_attention", "error"),
    ("OP005", "transformers_ext/internlm2.py", 67, "apply_rotary_pos_emb", "error"),
    ("OP005", "vendor/ascend/torch_npu_ops.py", 564, "paged_decode_attention", "error"),
    ("OP004", "kernels/dlinfer/fused_rotary_emb.py", 31, "apply_rotary_pos_emb", "warning"),
    ("OP018", "quants/ascend_awq.py", 124, "MergedAwqLinear.__init__", "error"),
    ("OP018", "device/ascend.py", 470, "msg_with_rank", "error"),
    ("OP018", "device/ascend.py", 612, "BaseModelAgent._broadcast_next_token", "error"),
    ("OP018", "device/ascend.py", 614, "CacheEngine._allocate_cache", "error"),
    ("C001", "models/deepseek_v2.py", 195, "kv_start_loc", "warning"),
    ("OP019", "backends/dlinfer/rotary_embedding.py", 195, "RopeType.LongRoPEScaling", "warning"),
    ("G006", "cudagraph/camb_cudagraph.py", 18, "mrope_position_ids", "warning"),
    ("OP011", "transformers_ext/internlm2.py", 42, "F", "warning"),
    ("OP021", "dlinfer/ops/llm.py", 580, "weight_quant_matmul", "warning"),
]


@pytest.mark.parametrize(("rule", "path", "line", "subject", "severity"), REAL, ids=lambda v: str(v))
def test_what_is_really_wrong_is_reported_at_its_place(findings, rule, path, line, subject, severity):
    hits = [f for f in findings if f.rule == rule and f.place.path.endswith(path) and f.subject == subject]
    assert [(f.place.line, f.severity) for f in hits] == [(line, severity)]


# Subjects that differ between the layers and are right: positional forwards, dead stubs, omissions that cost nothing.
@pytest.mark.parametrize("rule", ["OP003", "OP007", "OP010", "OP012", "VEN001"])
def test_what_is_benign_is_a_note_at_most(findings, rule):
    assert {f.severity for f in findings if f.rule == rule} <= {"note"}


def test_ghosts_in_string_literals_are_never_reported(findings):
    assert not [f for f in findings if f.rule == "OP009"]


def test_every_finding_has_a_place_that_exists_and_a_next_step(findings, lmdeploy_sources, dlinfer_sources):
    roots = {"lmdeploy": lmdeploy_sources(NEWEST).root, "dlinfer": dlinfer_sources.root}
    for finding in findings:
        for place in filter(None, (finding.place, finding.other)):
            file = roots[place.repo] / place.path
            if finding.rule != "OP017":
                assert 1 <= place.line <= len(file.read_bytes().splitlines()) + 1, finding
        assert finding.next and finding.message


@pytest.mark.parametrize("version", list(packages.LMDEPLOY))
def test_every_era_can_be_looked_at(lmdeploy_sources, dlinfer_sources, version):
    workspace = Workspace({"lmdeploy": lmdeploy_sources(version), "dlinfer": dlinfer_sources})
    result = run_rules(workspace)
    assert "OP003" in result.rules_run and result.files_read > 100
    assert not [f for f in result.findings if f.rule == "E001"]


def test_mutants_of_the_packages_are_caught(upstream_workspace):
    workspace = upstream_workspace(NEWEST)
    folder = workspace["lmdeploy"].root.parent
    command = [sys.executable, str(SCRIPTS / "mutate.py"), "--workspace", str(folder), "--count", "200", "--show"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
