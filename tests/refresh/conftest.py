"""An applied op, and newer templates for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from .kit import V11, make_templates, release


@pytest.fixture(scope="session")
def first_templates(tmp_path_factory) -> Path:
    return make_templates(tmp_path_factory.mktemp("templates") / "first")


@pytest.fixture
def templates(first_templates, tmp_path) -> Path:
    """Templates at version 1.0.0 with a history of one's own."""
    import shutil

    return Path(shutil.copytree(first_templates, tmp_path / "templates"))


@pytest.fixture
def applied(scaffold, workspace, templates) -> Path:
    """A workspace in which `rms_norm_gated` was added for camb with templates 1.0.0."""
    done = scaffold("op", "rms_norm_gated", "--vendor", "camb", "--no-native-doc", "--template", templates)
    assert done.code == 0, done.err
    return workspace


@pytest.fixture
def newer(applied, templates) -> Path:
    """Templates at version 1.1.0."""
    release(templates, "1.1.0", V11)
    return templates
