"""One sandbox for all tests that only read it."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.sandbox.write import write_sandbox
from generator.workspace.checkout import Workspace
from generator.workspace.find import find_workspace


@pytest.fixture(scope="session")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that holds both checkouts."""
    target = tmp_path_factory.mktemp("sandbox")
    write_sandbox(target)
    return target


@pytest.fixture(scope="session")
def workspace(sandbox: Path) -> Workspace:
    """The same, as the commands find it."""
    return find_workspace({}, {}, sandbox, ("lmdeploy", "dlinfer"))
