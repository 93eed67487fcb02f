"""Replay the commits of vllm-ascend that added a model to `packed_modules_model_mapping` or to the prefix mappings.

    python scripts/replay_packed_modules.py --git DIR --cases FILE

DIR is a clone of vllm-ascend with its history, FILE a JSON list of `{sha, keys}`. For each key the entry is planned on
the parent commit with the value that the commit gave it; the result must only add lines, compile, and hold the same
value beside unchanged others.
"""

from __future__ import annotations

import argparse
import ast
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from generator.scaffolds.scene import Scene  # noqa: E402
from generator.scaffolds.vllm_register import plan_register  # noqa: E402
from generator.survey.vllm_ascend import MODELSLIM, read_ascend  # noqa: E402
from generator.survey.vllm_tree import SourceTree  # noqa: E402
from generator.vllm.check.history import removed_lines  # noqa: E402
from generator.vllm.register.request import RegisterRequest  # noqa: E402
from generator.workspace.checkout import Workspace, recognise  # noqa: E402


def lay(git: Path, commit: str, folder: Path) -> Path:
    """Write what a registration reads of a commit and return the folder."""
    for path in (*MODELSLIM, "vllm_ascend/models/__init__.py", "vllm_ascend/__init__.py", "vllm_ascend/utils.py"):
        done = subprocess.run(["git", "-C", str(git), "show", f"{commit}:{path}"], capture_output=True, check=False)
        if done.returncode == 0:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(done.stdout)
    return folder


def replay(base: Path, field: str, key: str, value: dict) -> str:
    """Return `same`, or what went wrong. `field` is `packed` or `prefixes` of what vllm-ascend adds."""
    pairs = tuple((name, tuple(part) if isinstance(part, list) else part) for name, part in value.items())
    # A module of vLLM: only the lists of vllm-ascend are touched.
    request = RegisterRequest(
        "Model", "vllm.m", "Model", "text-generation", ascend=True, model_type=key, **{field: pairs}
    ).checked()
    before = read_ascend(SourceTree(base))
    plan = plan_register(request, Scene.open(Workspace({"vllm-ascend": recognise(base)})))
    path = before.packed_at[0]
    after = plan.tree.read("vllm-ascend", path)
    if removed_lines((base / path).read_bytes(), after):
        return "lines were taken away"
    ast.parse(after)
    tree = SourceTree(base)
    tree._bytes[path] = after
    return compare(getattr(before, field), getattr(read_ascend(tree), field), key, value)


def compare(before: dict, after: dict, key: str, value: dict) -> str:
    """Return `same` if nothing but `key` was added, with this value."""
    if after.get(key) != value:
        return f"holds {after.get(key)}"
    return "same" if {**before, key: value} == after else "another entry changed"


def cases(git: Path, listed: list[dict]):
    """Yield (sha, field, key, base folder, value) of each addition."""
    for case in listed:
        with tempfile.TemporaryDirectory() as old, tempfile.TemporaryDirectory() as new:
            base, target = lay(git, f"{case['sha']}^", Path(old)), lay(git, case["sha"], Path(new))
            there, wanted = read_ascend(SourceTree(base)), read_ascend(SourceTree(target))
            for field in [name for name, at in (("packed", there.packed_at), ("prefixes", there.prefix_at)) if at]:
                for key in dict.fromkeys(case["keys"]):
                    if key in getattr(wanted, field) and key not in getattr(there, field):
                        yield case["sha"], field, key, base, getattr(wanted, field)[key]


def main() -> int:
    """Print one line a key; exit 1 unless all are the same."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--git", type=Path, required=True)
    parser.add_argument("--cases", type=Path, required=True)
    given = parser.parse_args()
    answers = []
    for sha, field, key, base, value in cases(given.git, json.loads(given.cases.read_text())):
        answers.append(replay(base, field, key, value))
        print(f"{sha[:10]} {field:8} {key}: {answers[-1]}")
    print(f"{answers.count('same')} of {len(answers)}")
    return int(any(answer != "same" for answer in answers))


if __name__ == "__main__":
    sys.exit(main())
