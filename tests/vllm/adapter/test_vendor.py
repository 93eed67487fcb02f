"""Modules of a newer transformers are copied as they are, with their licence."""

import json

from .kit import CONFIG, checkpoint, generate, vllm

CONFIGURATION = """# Copyright 2026 The Mara Authors. All rights reserved.
#
# Licensed under the Apache License, Version 2.0
from ...configuration_utils import PreTrainedConfig
from ..auto import CONFIG_MAPPING
from .modular_mara import helper


class MaraTextThing:
    pass


class MaraConfig(PreTrainedConfig):
    model_type = "mara"
"""


def lay(tmp_path):
    folder = tmp_path / "newer" / "transformers"
    (folder / "models" / "mara").mkdir(parents=True)
    (folder / "__init__.py").write_text('__version__ = "9.0.0"\n')
    (folder / "models" / "mara" / "configuration_mara.py").write_text(CONFIGURATION)
    checkpoint(tmp_path / "checkpoint")
    vllm(tmp_path / "vllm")
    return folder


def test_copied_with_its_licence_registered_and_listed(tmp_path, capsys):
    folder = lay(tmp_path)
    capsys.readouterr()
    assert generate(tmp_path, "--strategy", "new", "--vendor-from", folder, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    path = "vllm/transformers_utils/configs/mara.py"
    assert path in {s["path"] for s in found["steps"] if s["kind"] == "create"}
    written = (tmp_path / "vllm" / path).read_text()
    assert written == CONFIGURATION.replace("from ...conf", "from transformers.conf").replace(
        "from ..auto", "from transformers.models.auto"
    ).replace("from .mod", "from transformers.models.mara.mod")
    assert 'mara="MaraConfig"' in (tmp_path / "vllm/vllm/transformers_utils/config.py").read_text()
    notes = [n["text"] for n in found["notes"]]
    assert any(
        "copied with its licence: transformers/models/mara/configuration_mara.py (MaraConfig)" in n for n in notes
    )
    assert any("imports modular_mara of its own package" in n for n in notes)


def test_a_folder_without_the_model_type_is_refused(tmp_path, capsys):
    folder = lay(tmp_path)
    checkpoint(tmp_path / "checkpoint", CONFIG | {"model_type": "other"})
    assert generate(tmp_path, "--strategy", "new", "--vendor-from", folder) == 2
    assert generate(tmp_path, "--strategy", "new", "--vendor-from", tmp_path / "vllm") == 2
    assert "no configuration of 'other'" in capsys.readouterr().err
