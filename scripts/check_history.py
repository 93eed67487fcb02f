"""Replays faults of the past: at the parent of a fix the check reports the fault, at the fix it is gone.

    python scripts/check_history.py REPORTS.json --dlinfer DIR --lmdeploy DIR [--only C003]

REPORTS.json is a list of field reports (`id`, `repo`, `number`, `check`). For each report of dlinfer or lmdeploy whose
rules are OP…, G… or C001, the fix is the commit whose subject ends with its pull-request number. Both checkouts need
their full history and are only read: a clone of each in a temporary folder is checked out, the other repository at its
last commit before the fix. A fault counts as reported if a rule of the report has, in a file that the fix changes, an
error or a warning that the fix takes away.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import tempfile
from pathlib import Path

from generator.checks.engine import run_rules
from generator.checks.finding import NOTE, Finding
from generator.workspace.checkout import Workspace, recognise

_NAMES = {"DeepLink-org/dlinfer": "dlinfer", "InternLM/lmdeploy": "lmdeploy"}
_RULE = re.compile(r"(?:OP|G)\d{3}|C001|VEN001")


def main() -> int:
    args = _arguments()
    reports = [r for path in args.reports for r in json.loads(path.read_bytes()) if r["repo"] in _NAMES]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        clones = {}
        for name in _NAMES.values():
            clones[name] = Path(folder) / name
            _git(Path(folder), "clone", "-q", "--shared", "--no-checkout", str(getattr(args, name).resolve()), name)
        for report in sorted(reports, key=lambda r: r["id"]):
            rules = [rule for rule in report["check"] if _RULE.fullmatch(rule)]
            if rules and (not args.only or report["id"] in args.only):
                said, ok = _replay(report, rules, clones)
                failed += not ok
                print(
                    f"{report['id']}  {_NAMES[report['repo']]:8} #{report['number'] or 'HEAD'!s:6} {said}", flush=True
                )
    return 1 if failed else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reports", type=Path, nargs="+")
    parser.add_argument("--dlinfer", type=Path, required=True)
    parser.add_argument("--lmdeploy", type=Path, required=True)
    parser.add_argument("--only", action="append")
    return parser.parse_args()


def _replay(report: dict, rules: list[str], clones: dict[str, Path]) -> tuple[str, bool]:
    name = _NAMES[report["repo"]]
    if report["number"] is None:
        return "no pull request: see scripts/check_truth.py", True
    fix = _fix(clones[name], report["number"])
    if fix is None:
        return "no commit has this number", False
    said, ok = "", False
    for days in (0, 3):
        said, ok = _compare(rules, clones, name, fix, days)
        if ok:
            break
    return said, ok


def _compare(rules: list[str], clones: dict[str, Path], name: str, fix: str, days: int) -> tuple[str, bool]:
    """Before and after the fix, with the other repository as it was some days later: what landed together."""
    before = _findings(clones, name, f"{fix}^", fix, days)
    if before is None:
        return "out of scope: the checkouts of that time are not recognised", True
    after = _findings(clones, name, fix, fix, days) or []
    changed = set(_git(clones[name], "diff", "--name-only", f"{fix}^", fix).split())
    kept = {_key(f) for f in after}
    gone = [f for f in before if _key(f) not in kept and any(p in changed for _, p in f.files)]
    hits = [f for f in gone if f.rule in rules]
    if hits:
        return f"{hits[0].rule} {hits[0].severity} at {fix[:9]}^, gone at the fix: {hits[0].message[:100]}", True
    others = ", ".join(sorted({f"{f.rule} {f.subject}" for f in gone}))
    return f"NOT reported by {', '.join(rules)} at {fix[:9]}^" + (f"; gone: {others}" if others else ""), False


def _key(finding: Finding) -> tuple:
    return (finding.rule, finding.place.path, finding.subject, finding.vendors)


def _fix(clone: Path, number: int) -> str | None:
    """The first commit on any branch whose subject ends with the number."""
    found = _git(clone, "log", "--all", "--format=%H %s").splitlines()
    hits = [line.split()[0] for line in found if line.rstrip().endswith(f"(#{number})")]
    return hits[-1] if hits else None


def _findings(clones: dict[str, Path], name: str, commit: str, fix: str, days: int) -> list[Finding] | None:
    """What the check says of a commit, with the other repository as it was then; None where it cannot look."""
    date = int(_git(clones[name], "log", "-1", "--format=%ct", fix)) + days * 86400
    for other, clone in clones.items():
        at = commit if other == name else _git(clone, "rev-list", "-1", f"--before={date}", "origin/HEAD").strip()
        if at:
            _git(clone, "checkout", "-q", "--force", at)
    checkouts = {repo: found for repo, clone in clones.items() if (found := recognise(clone))}
    if name not in checkouts or checkouts[name].package.name != name:
        return None
    findings = run_rules(Workspace(checkouts)).findings
    return [finding for finding in findings if finding.severity != NOTE]


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True)
    return done.stdout


if __name__ == "__main__":
    raise SystemExit(main())
