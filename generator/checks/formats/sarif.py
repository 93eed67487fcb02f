"""SARIF 2.1.0, for code scanning."""

from __future__ import annotations

import json
from typing import Any

from generator import __version__

from ..finding import Finding, Place
from ..report import Report
from ..rule import all_rules

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def render(report: Report, *, colour: bool = False) -> str:
    """Return the log: one run, the rules that looked, and a result for each finding that is shown."""
    rules = [id for id in all_rules() if id in report.rules_run]
    run = {
        "tool": {"driver": _driver(rules)},
        "columnKind": "utf16CodeUnits",
        "originalUriBaseIds": {_base(repo): _folder(repo) for repo in sorted({f.place.repo for f in report.shown})},
        "results": [_result(finding, rules) for finding in report.shown],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1, ensure_ascii=False)


def _driver(rules: list[str]) -> dict[str, Any]:
    return {"name": "scaffold check", "version": __version__, "rules": [_rule(id) for id in rules]}


def _rule(id: str) -> dict[str, Any]:
    rule = all_rules()[id]
    return {
        "id": id,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.documentation},
        "help": {"text": f"scaffold check --explain {id}"},
        "defaultConfiguration": {"level": rule.severity},
    }


def _result(finding: Finding, rules: list[str]) -> dict[str, Any]:
    result = {
        "ruleId": finding.rule,
        "level": finding.severity,
        "message": {"text": f"{finding.subject}: {finding.message}. Next: {finding.next}"},
        "locations": [_location(finding.place)],
        "partialFingerprints": {"scaffold/v1": finding.fingerprint},
    }
    if finding.rule in rules:
        result["ruleIndex"] = rules.index(finding.rule)
    if finding.other:
        result["relatedLocations"] = [
            _location(finding.other) | {"message": {"text": finding.there or "the other side"}}
        ]
    return result


def _location(place: Place) -> dict[str, Any]:
    artifact = {"uri": _uri(place.path), "uriBaseId": _base(place.repo)}
    return {"physicalLocation": {"artifactLocation": artifact, "region": {"startLine": max(place.line, 1)}}}


def _base(repo: str) -> str:
    return f"{repo.upper().replace('-', '_')}_ROOT"


def _folder(repo: str) -> dict[str, Any]:
    return {"description": {"text": f"the root of the {repo} checkout"}}


def _uri(path: str) -> str:
    from urllib.parse import quote

    return quote(path)
