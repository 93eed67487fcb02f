"""What is kept of a package, and what a test gets of it."""

import subprocess

from generator.workspace.find import find_workspace

from . import packages


def git(root, *arguments):
    return subprocess.run(["git", "-C", root, *arguments], check=True, capture_output=True, text=True).stdout


def test_only_sources_are_kept_and_no_wheel():
    place = packages.sources(packages.LMDEPLOY["0.17.0"])
    kept = [p for p in place.rglob("*") if p.is_file() and ".git" not in p.relative_to(place).parts]
    assert {p.suffix for p in kept} == {".py"}
    assert list(packages.cache().rglob("*.whl")) == []


def test_a_checkout_is_the_tests_own_and_clean(lmdeploy_checkout, dlinfer_checkout):
    for checkout in (lmdeploy_checkout("0.17.0"), dlinfer_checkout):
        assert git(checkout.root, "status", "--porcelain") == ""
        assert git(checkout.root, "rev-list", "--count", "HEAD") == "1\n"
        (checkout.root / "edited.py").write_text("x = 1\n")
        assert git(checkout.root, "status", "--porcelain") == "?? edited.py\n"


def test_a_workspace_is_found_from_its_folder(upstream_workspace):
    workspace = upstream_workspace("0.17.0")
    folder = workspace["lmdeploy"].root.parent
    assert find_workspace({}, {}, folder, ("lmdeploy", "dlinfer")).roots == workspace.roots
