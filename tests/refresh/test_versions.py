"""Template versions: where they come from, which one is taken, and what an answers file says."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from generator.errors import ScaffoldError
from generator.refresh.bundle import write_bundle
from generator.refresh.fetch import Fetch
from generator.refresh.git import versions
from generator.render.root import template_root
from generator.render.template import URL, version_of
from tests.plan.kit import commit, git

from .kit import V11, change, release
from .test_edits import CAMB, OPS

ID = "op-rms_norm_gated-camb"


def answers(workspace: Path) -> dict:
    return yaml.safe_load((workspace / "dlinfer/.scaffold" / ID / "answers.yml").read_bytes())


def test_the_changelog_speaks_of_this_version():
    version = version_of(template_root())
    assert f"## {version}" in (template_root() / "templates/CHANGELOG.md").read_text().splitlines()


def test_answers_have_a_public_address_and_a_version(scaffold, workspace):
    scaffold("op", "rms_norm_gated", "--vendor", "camb", "--no-native-doc")
    found = answers(workspace)
    assert (found["_src_path"], found["_commit"]) == (URL, f"v{version_of(template_root())}")


def test_check(scaffold, applied, templates):
    before = scaffold("update", "--check", "--json", "--template", templates)
    assert before.code == 0
    release(templates, "1.1.0", V11)
    done = scaffold("update", "--check", "--json", "--template", templates)
    document = json.loads(done.out)
    assert done.code == document["exit"] == 1
    assert document["ids"] == [
        {"id": ID, "template": URL, "version": "v1.0.0", "latest": "v1.1.0", "outdated": True, "conflicts": 0}
    ]
    assert "no native call is known yet" not in (applied / CAMB).read_text()
    scaffold("update", "--template", templates)
    assert scaffold("update", "--check", "--template", templates).code == 0


def test_check_sees_templates_that_changed_without_a_new_version(scaffold, applied, templates):
    change(templates / "templates/shared/op/layer4/body.jinja", "no native call is known", "nothing is known")
    assert scaffold("update", "--check", "--template", templates).code == 1


def test_nothing_applied(scaffold):
    assert scaffold("update").code == 0
    assert json.loads(scaffold("update", "--check", "--json").out)["ids"] == []


def test_unknown_id(scaffold, applied):
    done = scaffold("update", "op-rms_norm_gatd-camb")
    assert done.code == 2 and ID in done.err


def test_to_a_version_between(scaffold, applied, templates):
    release(templates, "1.1.0", V11)
    release(templates, "1.2.0", {"shared/op/layer4/body.jinja": ("known yet", "known so far")})
    assert scaffold("update", "--template", templates, "--to", "1.1.0").code == 0
    assert answers(applied)["_commit"] == "v1.1.0"
    assert "known yet" in (applied / CAMB).read_text()
    assert scaffold("update", "--template", templates, "--to", "v1.2.0").code == 0
    assert "known so far" in (applied / CAMB).read_text()


def test_to_an_older_version_is_refused(scaffold, applied, newer):
    scaffold("update", "--template", newer)
    done = scaffold("update", "--template", newer, "--to", "1.0.0")
    assert done.code == 2 and "newer" in done.err


def test_to_a_version_that_is_not_there(scaffold, applied, newer):
    done = scaffold("update", "--template", newer, "--to", "9.9.9")
    assert done.code == 2 and "1.1.0" in done.err


def test_a_checkout_without_tags_has_its_versions(applied, newer):
    git(newer, "tag", "-d", "v1.0.0", "v1.1.0")
    assert list(versions(newer)) == ["1.1.0", "1.0.0"]
    with Fetch() as fetch:
        template = fetch.given(str(newer), "1.0.0")
        assert version_of(template.root) == "1.0.0"


def test_a_version_ends_before_the_next_one(templates):
    change(templates / "templates/CHANGELOG.md", "## 1.0.0", "## 1.0.0\n\nA late remark.")
    git(templates, "tag", "-d", "v1.0.0")
    commit(templates)
    release(templates, "1.1.0", V11)
    with Fetch() as fetch:
        root = fetch.given(str(templates), "1.0.0").root
        assert "A late remark." in (root / "templates/CHANGELOG.md").read_text()
        assert "known yet" not in (root / "templates/shared/op/layer4/body.jinja").read_text()


def test_bundle_is_the_same_twice_and_without_git_metadata(templates, tmp_path):
    release(templates, "1.1.0", V11)
    assert write_bundle(templates, tmp_path / "a") == ["1.0.0", "1.1.0"]
    other = Path(shutil.copytree(templates, tmp_path / "other"))
    git(other, "commit", "-q", "--amend", "--date", "2020-02-02T00:00:00Z", "-m", "another word")
    assert write_bundle(other, tmp_path / "b") == ["1.0.0", "1.1.0"]
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_bundle_serves_every_version(templates, tmp_path):
    release(templates, "1.1.0", V11)
    write_bundle(templates, tmp_path / "bundle")
    with Fetch() as fetch:
        newest = fetch.given(str(tmp_path / "bundle"))
        oldest = fetch.given(str(tmp_path / "bundle"), "1.0.0")
        assert (newest.commit, oldest.commit) == ("v1.1.0", "v1.0.0")
        assert version_of(oldest.root) == "1.0.0" and version_of(newest.root) == "1.1.0"
    assert not oldest.root.exists()


@pytest.mark.parametrize("origin", [None, "https://someone:secret@git.example.com/fork.git"])
def test_a_folder_of_ones_own_leaves_no_path(scaffold, workspace, templates, origin):
    git(templates, "remote", "remove", "origin")
    if origin:
        git(templates, "remote", "add", "origin", origin)
    scaffold("op", "rms_norm_gated", "--vendor", "camb", "--no-native-doc", "--template", templates)
    expected = "https://git.example.com/fork.git" if origin else "local:templates"
    assert answers(workspace)["_src_path"] == expected


def test_templates_of_a_folder_must_be_given_again(scaffold, workspace, templates):
    git(templates, "remote", "remove", "origin")
    scaffold("op", "rms_norm_gated", "--vendor", "camb", "--no-native-doc", "--template", templates)
    done = scaffold("update")
    assert done.code == 2 and "--template" in done.err
    release(templates, "1.1.0", V11)
    assert scaffold("update", "--template", templates).code == 0
    assert "One call a vendor" in (workspace / OPS).read_text()


def test_no_template_root(scaffold, applied, tmp_path):
    done = scaffold("update", "--template", tmp_path / "nothing")
    assert done.code == 2
    done = scaffold("update", "--template", applied)
    assert done.code == 2 and "copier.yml" in done.err


def test_an_op_of_older_templates_is_updated_before_another_vendor_joins(scaffold, applied, newer):
    done = scaffold("op", "rms_norm_gated", "--vendor", "maca", "--no-native-doc", "--template", newer)
    assert done.code == 2 and "scaffold update" in done.err
    assert scaffold("update", "--template", newer).code == 0
    assert scaffold("op", "rms_norm_gated", "--vendor", "maca", "--no-native-doc", "--template", newer).code == 0


def test_the_address_is_cloned_where_it_is_recorded(scaffold, applied, newer, tmp_path, monkeypatch):
    bare = tmp_path / "fork.git"
    subprocess.run(["git", "clone", "-q", "--bare", str(newer), str(bare)], check=True)
    for repo in ("lmdeploy", "dlinfer"):
        file = applied / repo / ".scaffold" / ID / "answers.yml"
        file.write_bytes(file.read_bytes().replace(URL.encode(), b"https://git.example.com/fork.git"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", f"url.{bare}.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "https://git.example.com/fork.git")
    assert scaffold("update").code == 0
    assert "known yet" in (applied / CAMB).read_text()
    assert answers(applied)["_src_path"] == "https://git.example.com/fork.git"


def test_errors_of_git_are_told(tmp_path):
    with Fetch() as fetch, pytest.raises(ScaffoldError):
        fetch.given(str(tmp_path / "no.bundle"))
