"""Every kind is refreshed by the same code: an update by the same templates is no update."""

from __future__ import annotations

import pytest

from tests.conftest import snapshot

from .test_plain_copier import kept

BUFFER = ("--owner", "attn_metadata", "--size", "max_batches", "--dtype", "torch.int32")
KINDS = {
    "op": ("op", "rms_norm_gated", "--vendor", "camb", "--vendor", "ascend", "--no-native-doc"),
    "graph-buffer": ("graph-buffer", "my_field", "--vendor", "camb", "--vendor", "ascend", *BUFFER),
    "context-field": ("context-field", "my_flag", "--vendor", "camb", "--type", "bool", "--value", "True"),
}


@pytest.mark.parametrize("words", KINDS.values(), ids=KINDS)
def test_update_by_the_same_templates(scaffold, workspace, words):
    assert scaffold(*words).code == 0
    ledgers = [(workspace / repo / ".scaffold/ledger.json") for repo in ("lmdeploy", "dlinfer")]
    before = snapshot(workspace), kept(workspace), [f.read_bytes() for f in ledgers if f.exists()]
    done = scaffold("update")
    assert done.code == 0 and "nothing to write" in done.out
    assert (snapshot(workspace), kept(workspace), [f.read_bytes() for f in ledgers if f.exists()]) == before
    assert scaffold("update", "--check").code == 0
