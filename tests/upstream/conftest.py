"""Checkouts of the real upstream. Everything in this folder is marked `upstream`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from generator.workspace.checkout import Checkout, Workspace, recognise

from . import packages


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.upstream)


@pytest.fixture(scope="session")
def lmdeploy_sources() -> Callable[[str], Checkout]:
    """The sources of an lmdeploy version, shared by all tests: for reading only."""
    return lambda version: recognise(packages.sources(packages.LMDEPLOY[version]))


@pytest.fixture(scope="session")
def dlinfer_sources() -> Checkout:
    """The sources of the `dlinfer-ascend` wheel, shared by all tests: for reading only."""
    return recognise(packages.sources(packages.DLINFER))


@pytest.fixture
def lmdeploy_checkout(tmp_path) -> Callable[[str], Checkout]:
    """A git checkout of an lmdeploy version of the test's own: `lmdeploy_checkout("0.17.0")`."""

    def checkout(version: str) -> Checkout:
        return recognise(packages.copy_to(packages.LMDEPLOY[version], tmp_path / version / "lmdeploy"))

    return checkout


@pytest.fixture
def dlinfer_checkout(tmp_path) -> Checkout:
    """A git checkout of the `dlinfer-ascend` wheel of the test's own."""
    return recognise(packages.copy_to(packages.DLINFER, tmp_path / "dlinfer"))


@pytest.fixture
def upstream_workspace(tmp_path) -> Callable[[str], Workspace]:
    """A workspace folder of the test's own with an lmdeploy version and dlinfer side by side."""

    def workspace(version: str) -> Workspace:
        root = tmp_path / f"workspace-{version}"
        lmdeploy = packages.copy_to(packages.LMDEPLOY[version], root / "lmdeploy")
        dlinfer = packages.copy_to(packages.DLINFER, root / "dlinfer")
        return Workspace({"lmdeploy": recognise(lmdeploy), "dlinfer": recognise(dlinfer)})

    return workspace
