"""`scaffold template`: the contract for templates of one's own, each rule with a root that breaks it."""

from __future__ import annotations

import json
import shlex

import pytest

from generator.cli.main import run
from generator.refresh.conform import check_templates
from generator.render.root import template_root
from generator.render.template import URL

from .kit import change

CAMB = "camb/op/dlinfer/.scaffold/{{ kind }}-{{ name }}-{{ vendor }}"
ONE = "#@ insert: definition\n#@ path: dlinfer/ops/llm.py\n"


def test_this_project_conforms(capfd):
    assert run(["template", "check", str(template_root())]) == 0
    assert "conforms" in capfd.readouterr().out


def test_a_fork_of_one_vendor_conforms(templates):
    change(templates / "templates/shared/op/layer4/body.jinja", "no native call is known", "ask us")
    assert check_templates(templates) == []


def test_more_migrations_are_welcome(templates):
    with (templates / "copier.yml").open("a") as file:
        file.write("more:\n    type: str\n    default: x\n")
    change(templates / "copier.yml", "_exclude:\n", '    - version: v9.0.0\n      command: "true"\n_exclude:\n')
    assert check_templates(templates) == []


def _without_version(root):
    (root / "templates/VERSION").unlink()


def _odd_version(root):
    (root / "templates/VERSION").write_text("new\n")


def _no_changelog(root):
    (root / "templates/VERSION").write_text("7.0.0\n")


def _other_settings(root):
    change(root / "copier.yml", "trim_blocks: true", "trim_blocks: false")


def _question_without_default(root):
    (root / "copier.yml").open("a").write("token:\n    type: str\n")


def _question_missing(root):
    change(root / "copier.yml", "\nshape_from:\n", "\nshape_of:\n")


def _unknown_vendor(root):
    (root / "templates/ppu/op").mkdir(parents=True)


def _syntax(root):
    change(root / "templates/shared/op/layer4/body.jinja", "{% else %}", "{% els %}")


def _missing_partial(root):
    (root / "templates/shared/op/layer4/body.jinja").unlink()


def _no_answers(root):
    (root / "templates" / CAMB / "answers.yml.jinja").unlink()


def _broken_fragment(root):
    (root / "templates" / CAMB / "odd.txt.jinja").write_text("#@ insert: nothing\n#@ path: dlinfer/ops/llm.py\n")


def _not_findable(root):
    text = ONE.replace("definition", "statement") + "#@ scope: nowhere\nx = 1\n"
    (root / "templates" / CAMB / "odd.txt.jinja").write_text(text)


BROKEN = {
    _without_version: "version",
    _odd_version: "version",
    _no_changelog: "changelog",
    _other_settings: "settings",
    _question_without_default: "questions",
    _question_missing: "questions",
    _unknown_vendor: "vendor",
    _syntax: "syntax",
    _missing_partial: "syntax",
    _no_answers: "answers",
    _broken_fragment: "op",
    _not_findable: "op",
}


@pytest.mark.parametrize("spoil", BROKEN, ids=lambda spoil: spoil.__name__)
def test_broken(templates, spoil, capfd):
    spoil(templates)
    assert run(["template", "check", str(templates), "--format", "json"]) == 1
    document = json.loads(capfd.readouterr().out)
    assert document["exit"] == 1
    assert BROKEN[spoil] in {finding["rule"] for finding in document["findings"]}


def test_no_template_root(tmp_path, capfd):
    assert run(["template", "check", str(tmp_path)]) == 2
    assert "copier.yml" in capfd.readouterr().err


def test_bundle_prints_settings_for_a_shell(tmp_path, capfd):
    folder = tmp_path / "with space"
    folder.mkdir()
    assert run(["template", "bundle", str(folder / "history.bundle")]) == 0
    words = shlex.split(capfd.readouterr().out)
    assert f"GIT_CONFIG_KEY_0=url.{folder / 'history.bundle'}.insteadOf" in words
    assert f"GIT_CONFIG_VALUE_0={URL}" in words
