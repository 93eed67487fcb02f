"""Every rule against its own cases, and what every rule owes its reader."""

from __future__ import annotations

import pytest

from generator.checks.rule import all_rules

from .kit import places, run

RULES = all_rules()
VALID = [pytest.param(rule, case, id=f"{rule.id}-{case.name}") for rule in RULES.values() for case in rule.VALID]
INVALID = [pytest.param(rule, case, id=f"{rule.id}-{case.name}") for rule in RULES.values() for case in rule.INVALID]


@pytest.mark.parametrize(("rule", "case"), VALID)
def test_a_valid_case_has_no_finding(rule, case):
    assert [str(f) for f in run(rule, case.files)] == []


@pytest.mark.parametrize(("rule", "case"), INVALID)
def test_an_invalid_case_has_its_findings_where_it_says(rule, case):
    findings = run(rule, case.files)
    assert places(findings) == sorted(case.finds)
    said = "\n".join(f"{f.message}\n{f.next}" for f in findings)
    assert [words for words in case.says if words not in said] == []


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_a_rule_has_documentation_and_cases_of_both_kinds(rule):
    assert rule.documentation and rule.title
    assert rule.VALID and rule.INVALID


@pytest.mark.parametrize(("rule", "case"), INVALID)
def test_a_finding_says_what_to_do_next(rule, case):
    for finding in run(rule, case.files):
        assert finding.rule == rule.id
        assert finding.message and finding.next and finding.subject
        assert finding.here is None or finding.there is not None
