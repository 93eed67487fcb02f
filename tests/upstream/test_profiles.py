"""The profiles of released versions, one for each era of style."""

import pytest

from generator.errors import ScaffoldError
from generator.workspace.profile import probe_dlinfer, probe_lmdeploy

from .packages import ERAS, WITHOUT_OP_TYPE

VENDORS = ("ascend", "camb", "maca")
# columns, annotations, docstrings, attention's OpType, packages in nn/, vendors
LMDEPLOY = {
    "0.6.2.post1": (79, "typing", "lower", "Attention", (), ("ascend", "maca")),
    "0.7.3": (120, "typing", "lower", "PagedAttention", (), VENDORS),
    "0.10.2": (120, "typing", "capital", "PagedAttention", ("linear",), VENDORS),
    "0.17.0": (120, "pipe", "capital", "PagedAttention", ("linear", "moe"), VENDORS),
}


@pytest.mark.parametrize("version", ERAS)
def test_lmdeploy(lmdeploy_sources, version):
    found = probe_lmdeploy(lmdeploy_sources(version))
    eras = (found.columns, found.annotations, found.docstrings, found.attention_op, found.nn_packages, found.vendors)
    assert eras == LMDEPLOY[version]
    assert found.quotes == "single"
    assert found.newline == "lf"
    assert found.header == ("# Copyright (c) OpenMMLab. All rights reserved.",)


def test_an_lmdeploy_without_op_types_is_refused_by_name(lmdeploy_sources):
    with pytest.raises(ScaffoldError, match="no OpType.*BuildSpec") as error:
        probe_lmdeploy(lmdeploy_sources(WITHOUT_OP_TYPE))
    assert error.value.exit_code == 2


def test_dlinfer(dlinfer_sources):
    found = probe_dlinfer(dlinfer_sources)
    assert (found.columns, found.quotes, found.annotations, found.newline) == (88, "double", "typing", "lf")
    assert (found.decorator, found.custom_op_module) == ("one", "dlinfer.graph.custom_op")
    assert found.op_docstrings
    assert list(found.vendors) == ["ascend"]
    assert found.header == tuple(found.vendors["ascend"]["header"])
    assert {"Tensor", "Optional", "Sequence", "Tuple", "MoeMetadata"} <= set(found.types)
