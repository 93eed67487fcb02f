"""The engine: which rules run, what they are given, and that nothing fails in silence."""

from __future__ import annotations

import pytest

from generator.checks.engine import check_plan, compare, run_rules
from generator.checks.finding import Place
from generator.checks.report import Report
from generator.checks.rule import Rule, all_rules
from generator.plan.tree import Tree
from generator.workspace.checkout import Checkout, Workspace

from .kit import places, workspace

OPS = "dlinfer/ops/llm.py"
CAMB = "dlinfer/vendor/camb/camb_ops.py"
OP = 'from registry import vendor_ops_registry\ndef f(a, b):\n    return vendor_ops_registry["f"](a, b)\n'
GOOD = (
    "from registry import register_ops, vendor_ops_registry\n@register_ops(vendor_ops_registry)\n"
    "def f(a, b):\n    return a + b\n"
)
BAD = GOOD.replace("(a, b)", "(b, a)", 1)


class Broken(Rule):
    """Fails."""

    id = "OP999"
    title = "fails"
    needs = ()

    def find(self, picture):
        raise RuntimeError("a fault of the tool")


class NeedsLmdeploy(Broken):
    """Needs lmdeploy."""

    needs = ("lmdeploy",)


def test_a_rule_that_fails_is_no_clean_result():
    space, overlay = workspace({f"dlinfer:{OPS}": OP})
    with pytest.raises(RuntimeError):
        run_rules(space, [Broken()], overlay=overlay)


def test_a_rule_that_cannot_look_is_named_and_not_counted():
    space, overlay = workspace({f"dlinfer:{OPS}": OP})
    alone = Workspace({"dlinfer": space["dlinfer"]})
    result = run_rules(alone, [NeedsLmdeploy()], overlay=overlay)
    assert result.rules_run == ()
    assert result.rules_skipped == {"OP999": "no lmdeploy checkout"}
    assert Report((), result.rules_run).exit == 2


def test_with_dlinfer_alone_the_rules_about_dlinfer_look():
    space, overlay = workspace({f"dlinfer:{OPS}": OP, f"dlinfer:{CAMB}": BAD})
    result = run_rules(Workspace({"dlinfer": space["dlinfer"]}), overlay=overlay)
    assert "OP003" in result.rules_run
    assert "OP002" in result.rules_skipped
    assert [f.rule for f in result.findings if f.severity == "error"] == ["OP003"]


def test_only_the_rules_that_read_a_touched_file_look():
    files = {f"dlinfer:{OPS}": OP, f"dlinfer:{CAMB}": BAD, "dlinfer:dlinfer/utils/h.py": "def g():\n    return x\n"}
    space, overlay = workspace(files)
    result = run_rules(space, overlay=overlay, touched=frozenset({("dlinfer", "dlinfer/utils/h.py")}))
    assert {f.rule for f in result.findings if f.severity == "error"} == {"OP011"}


def test_what_a_change_breaks_elsewhere_is_new():
    files = {f"dlinfer:{OPS}": OP, f"dlinfer:{CAMB}": GOOD}
    space, before = workspace(files)
    after = {**before, "dlinfer": {**before["dlinfer"], CAMB: GOOD.replace("def f", "def g").encode()}}
    found = compare(space, before, after, frozenset({("dlinfer", CAMB)}))
    assert [f.place.path for f, is_new in found.items() if is_new and f.severity == "error"] == [OPS]


@pytest.fixture
def checkouts(tmp_path):
    for repo, files in {"dlinfer": {OPS: OP, CAMB: GOOD}, "lmdeploy": {"lmdeploy/pytorch/__init__.py": ""}}.items():
        for path, text in files.items():
            (tmp_path / repo / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / repo / path).write_text(text)
    return Workspace({r: Checkout(r, tmp_path / r, tmp_path / r / r) for r in ("dlinfer", "lmdeploy")})


class _Plan:
    def __init__(self, tree):
        self.tree = tree


def test_a_plan_is_checked_by_what_it_would_leave(checkouts):
    tree = Tree(checkouts.roots)
    tree.write("dlinfer", CAMB, BAD.encode())
    found = check_plan(_Plan(tree), checkouts)
    assert places(found) == [f"error {CAMB}:3"]
    assert found[0].other == Place("dlinfer", OPS, 3)


def test_what_was_wrong_before_a_plan_is_not_its_doing(checkouts):
    (checkouts["dlinfer"].root / CAMB).write_text(BAD)
    tree = Tree(checkouts.roots)
    tree.write("dlinfer", CAMB, (BAD + "\n\ndef helper():\n    return 1\n").encode())
    assert check_plan(_Plan(tree), checkouts) == []


def test_a_plan_that_changes_nothing_costs_nothing(checkouts, monkeypatch):
    monkeypatch.setattr("generator.checks.engine.run_rules", lambda *a, **k: pytest.fail("looked"))
    assert check_plan(_Plan(Tree(checkouts.roots)), checkouts) == []


def test_ids_are_in_order_and_every_rule_says_what_it_reads():
    rules = all_rules()
    assert list(rules) == sorted(rules)
    assert all(rule.reads and all(":" in prefix for prefix in rule.reads) for rule in rules.values())


def test_the_findings_do_not_depend_on_the_order_of_rules():
    space, overlay = workspace({f"dlinfer:{OPS}": OP, f"dlinfer:{CAMB}": BAD + "x = y\n"})
    rules = list(all_rules().values())
    there, back = (run_rules(space, order, overlay=overlay).findings for order in (rules, rules[::-1]))
    assert there == back
