"""Holds `scaffold check` against a table of what is really wrong between two checkouts, and prints recall and
precision.

    python scripts/check_truth.py TRUTH.json --workspace DIR

An entry of the table has `id`, `op`, `file` (`repo:path`), `line` (or null) and `classification`. Every entry whose
classification begins with `real` or `skew` must be reported as error or warning; no entry that is `benign` may be an
error. An entry is found if a finding names its file, on one side or the other, and its line (by `--near` lines) or its
subject.
"""

from __future__ import annotations

import argparse
import json
import os
import re
from collections import Counter
from pathlib import Path

from generator.checks.engine import run_rules
from generator.checks.finding import ERROR, WARNING, Finding
from generator.workspace.find import find_workspace


def main() -> int:
    args = _arguments()
    workspace = find_workspace({"workspace": args.workspace}, os.environ, Path.cwd(), ("lmdeploy", "dlinfer"))
    findings = run_rules(workspace).findings
    rows, claimed = [], set()
    for path in args.truth:
        for truth in json.loads(path.read_bytes()):
            hits = [f for f in findings if _meets(f, truth, args.near)]
            claimed |= set(hits)
            rows.append((truth, hits))
    for truth, hits in rows:
        print(f"{truth['id']:5} {_class(truth):8} {_verdict(truth, hits):14} {_said(truth, hits, args.near)}")
    return _sum_up(rows, findings, claimed)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("truth", type=Path, nargs="+")
    parser.add_argument("--workspace", required=True)
    parser.add_argument("--near", type=int, default=0, help="lines that a finding may be away")
    return parser.parse_args()


def _class(truth: dict) -> str:
    text = truth["classification"]
    return next((c for c in ("real", "skew", "benign") if text.startswith(c)), "skew" if "skew" in text else "other")


def _meets(finding: Finding, truth: dict, near: int) -> bool:
    repo, _, pattern = truth["file"].partition(":")
    path = re.escape(pattern).replace(r"\*", "[^:]*").replace(r"\{camb,maca\}", "(camb|maca)")
    places = [p for p in (finding.place, finding.other) if p and p.repo == repo and re.match(path, p.path)]
    if not places:
        return False
    if truth["line"] and any(abs(p.line - truth["line"]) <= near for p in places):
        return True
    words = re.findall(r"[A-Za-z_]\w+", truth["op"])
    names = re.findall(r"\w+", f"{finding.subject} {finding.op or ''}")
    return bool(set(words) & set(names))


def _verdict(truth: dict, hits: list[Finding]) -> str:
    serious = [f for f in hits if f.severity in (ERROR, WARNING)]
    if _class(truth) in ("real", "skew"):
        return "reported" if serious else "MISSED"
    # A serious finding on the line of a benign entry may be about something else that is really wrong there.
    errors = [f for f in hits if f.severity == ERROR and not truth["line"]]
    errors += [f for f in hits if f.severity == ERROR and f.place.line == truth["line"]]
    return "ERROR" if errors else "quiet"


def _said(truth: dict, hits: list[Finding], near: int) -> str:
    lines = [p.line for f in hits for p in (f.place, f.other) if p]
    exact = not truth["line"] or any(abs(line - truth["line"]) <= near for line in lines)
    rules = ", ".join(dict.fromkeys(f"{f.rule} {f.severity}" for f in hits))
    return f"{truth['op'][:44]:44} {rules}" + ("" if exact or not hits else f"  (line {truth['line']}: {lines[:4]})")


def _sum_up(rows: list, findings: tuple[Finding, ...], claimed: set[Finding]) -> int:
    counts = Counter((_class(truth), _verdict(truth, hits)) for truth, hits in rows)
    print()
    for name in ("real", "skew"):
        found, all_ = counts[name, "reported"], counts[name, "reported"] + counts[name, "MISSED"]
        print(f"recall    {name:7} {found}/{all_}")
    quiet = counts["benign", "quiet"]
    print(f"precision benign  {quiet}/{quiet + counts['benign', 'ERROR']} are no error")
    serious = [f for f in findings if f.severity in (ERROR, WARNING)]
    beyond = [f for f in serious if f not in claimed]
    print(f"serious findings: {len(serious)}, of which {len(beyond)} are in no entry of the table:")
    for finding in beyond:
        print(f"  {finding.severity} {finding.rule} {finding.place} {finding.subject}: {finding.message}")
    return 1 if any(verdict in ("MISSED", "ERROR") for _, verdict in counts) else 0


if __name__ == "__main__":
    raise SystemExit(main())
