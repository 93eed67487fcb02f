"""Every format says the same findings."""

from __future__ import annotations

import json

import pytest

from generator.checks.engine import run_rules
from generator.checks.finding import Finding, Place
from generator.checks.formats import NAMES, render
from generator.checks.report import Report

from .kit import workspace

FILES = {
    "dlinfer:dlinfer/ops/llm.py": 'def f(x, k, meta):\n    return vendor_ops_registry["f"](x, k, meta)\n',
    "dlinfer:dlinfer/vendor/maca/maca_ops.py": (
        "@register_ops(r)\ndef f(x, k, renorm=False, meta=None):\n    return x\n"
    ),
}


@pytest.fixture(scope="module")
def report():
    space, overlay = workspace(FILES)
    result = run_rules(space, overlay=overlay)
    return Report(result.findings, result.rules_run, result.rules_skipped, result.files_read)


@pytest.mark.parametrize("name", NAMES)
def test_a_format_names_rule_file_line_and_next_step(report, name):
    text = render(report, name)
    error = next(f for f in report.findings if f.severity == "error")
    for words in (error.rule, error.place.path, str(error.place.line)):
        assert words in text
    assert "order of the forward" in text


def test_notes_are_hidden_from_readers_and_never_from_programs(report):
    assert report.counts["note"] > 0
    assert "note OP" not in render(report, "text")
    assert len(json.loads(render(report, "json"))["findings"]) == len(report.findings)
    assert f"{report.counts['note']} note" in render(report, "text")


def test_json_has_the_keys_that_scripts_rely_on(report):
    document = json.loads(render(report, "json"))
    assert {"schema", "command", "exit", "findings", "rules_run", "files_read"} <= document.keys()
    keys = {"rule", "severity", "repo", "path", "line", "other", "subject", "message", "next"}
    assert all(keys <= finding.keys() for finding in document["findings"])
    assert [Finding.from_json(finding) for finding in document["findings"]] == list(report.findings)


def test_sarif_has_what_its_schema_requires(report):
    log = json.loads(render(report, "sarif"))
    [run] = log["runs"]
    assert log["version"] == "2.1.0" and run["tool"]["driver"]["name"]
    ids = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(set(ids)) == len(ids)
    for result in run["results"]:
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("none", "note", "warning", "error")
        [location] = result["locations"]
        physical = location["physicalLocation"]
        assert physical["region"]["startLine"] >= 1
        assert physical["artifactLocation"]["uriBaseId"] in run["originalUriBaseIds"]


def test_github_annotations_are_one_line_each(report):
    nasty = Finding("OP001", "error", Place("dlinfer", "a,b:c.py", 3), "s", "50%\nof it", "do\r\nthat")
    [line] = [row for row in render(Report((nasty,), ("OP001",)), "github").split("\n") if row.startswith("::")]
    assert line.startswith("::error file=a%2Cb%3Ac.py,line=3,")
    assert "50%25%0Aof it" in line and "do%0D%0Athat" in line


@pytest.mark.parametrize(
    ("severities", "rules", "code"),
    [((), ("OP001",), 0), (("warning", "note"), ("OP001",), 0), (("error",), ("OP001",), 1), ((), (), 2)],
)
def test_the_exit_code_says_whether_there_are_errors_and_whether_anybody_looked(severities, rules, code):
    findings = tuple(Finding("OP001", s, Place("dlinfer", "a.py"), "s", "m", "n") for s in severities)
    assert Report(findings, rules).exit == code
