"""Replays real commits that added ops: parent commit in place, `scaffold op`, and are the same registrations there?

    python scripts/replay_ops.py CASES.json --lmdeploy CLONE --dlinfer CLONE [--only R020,R115]

CASES.json is a list of cases with `repo`, `parent`, `date`, `category` (a, b, c, g), `kind`, `name`, `vendor` and
`registrations`; the clones need the full history and are copied, not touched. Prints a line a case.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

from generator.spec.names import words
from generator.spec.vendor import VENDORS
from generator.survey.dispatch import read_dispatcher, read_op_types
from generator.survey.impls import read_backend_classes
from generator.survey.ops_layer import read_ops
from generator.survey.vendor_layer import read_vendor_ops
from generator.survey.wrapper_layer import read_exports, read_wrappers
from generator.workspace.checkout import Workspace, recognise

_LAYERS = {"op_L2": "2", "op_L3": "3", "op_L4": "4", "builder": "1", "optype": "0"}


def main() -> None:
    """Run all cases and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--lmdeploy", type=Path, required=True)
    parser.add_argument("--dlinfer", type=Path, required=True)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    only = set(filter(None, args.only.split(",")))
    tally: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        clones = {repo: _clone(getattr(args, repo), Path(folder) / repo) for repo in ("lmdeploy", "dlinfer")}
        for case in json.loads(args.cases.read_text()):
            if case["category"] in "abcg" and (not only or case["id"] in only):
                outcome, detail = replay(case, clones)
                tally[outcome] = tally.get(outcome, 0) + 1
                print(
                    f"{outcome:8} {case['id']} {case['kind']} {case['name']} {case['vendor'] or ''} "
                    f"{case['date']} {detail}"
                )
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(tally.items())))


def replay(case: dict, clones: dict[str, Path]) -> tuple[str, str]:
    """Return (outcome, detail): `same`, `missing`, `refused` (too old) or `failed`."""
    for repo, clone in clones.items():
        commit = case["parent"] if repo == case["repo"] else _at(clone, case["date"])
        _git(clone, "checkout", "-q", "-f", commit)
        _git(clone, "clean", "-qfdx")
    name = case["name"] if case["kind"].startswith("op_") else "_".join(words(case["name"]))
    command = ["scaffold", "op", name, "--vendor", case["vendor"] or "ascend", "--layers", _LAYERS[case["kind"]]]
    command += ["--op-type", case["name"]] if case["kind"] in ("builder", "optype") else []
    command += [f for repo, clone in clones.items() for f in (f"--{repo}", str(clone))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return ("refused" if "is from before" in done.stderr else "failed"), done.stderr.strip().replace("\n", " |")
    removed = [line for clone in clones.values() for line in _removed(clone)]
    missing = [r for r in case["registrations"] if not _there(r, clones)]
    detail = " ".join(f"{r['kind']}:{r['name']}:{r.get('backend') or ''}" for r in missing)
    return ("missing" if missing else "same"), f"{detail} {'removed: ' + repr(removed) if removed else ''}".strip()


def _there(registration: dict, clones: dict[str, Path]) -> bool:
    """True if the registration is in the checkouts now."""
    workspace = Workspace({repo: recognise(clone) for repo, clone in clones.items()})
    lmdeploy, dlinfer = workspace["lmdeploy"], workspace["dlinfer"]
    kind, name = registration["kind"], registration["name"]
    if kind in ("L3", "L3ALL"):
        op = read_ops(dlinfer).get(name)
        return op is not None and (kind == "L3" or op.in_all)
    if kind in ("L4", "L4ALL"):
        op = read_vendor_ops(dlinfer, VENDORS[registration["vendor"]]).get(name)
        return op is not None and (kind == "L4" or op.in_all)
    if kind in ("L2IMPORT", "L2ALL"):
        exports = read_exports(lmdeploy)
        return name in (exports.imports if kind == "L2IMPORT" else exports.all_names or {})
    if kind in ("L2FN", "L2CALL"):
        wrappers = read_wrappers(lmdeploy)
        called = {c.callee for w in wrappers.values() for c in w.op_calls}
        return name in (wrappers if kind == "L2FN" else called)
    if kind == "OPTYPE":
        return name in read_op_types(lmdeploy)
    if kind == "L1CLS":
        return name in read_backend_classes(lmdeploy, "dlinfer")
    return kind == "DISP" and name in read_dispatcher(lmdeploy, registration["backend"])


def _removed(clone: Path) -> list[str]:
    diff = _git(clone, "diff", "-U0").splitlines()
    return [line for line in diff if line.startswith("-") and not line.startswith("---")]


def _at(clone: Path, date: str) -> str:
    return _git(clone, "rev-list", "-1", f"--before={date}T23:59:59", "origin/HEAD").strip()


def _clone(source: Path, target: Path) -> Path:
    subprocess.run(["git", "clone", "-q", str(source), str(target)], check=True)
    return target


def _git(clone: Path, *args: str) -> str:
    done = subprocess.run(["git", "-C", str(clone), *args], capture_output=True, text=True, check=True)
    return done.stdout


if __name__ == "__main__":
    main()
