"""`scaffold update` of three ops in two checkouts against plain `copier update` of one op.

    python benchmarks/update.py [WORKSPACE]

WORKSPACE holds lmdeploy and dlinfer checkouts; they are cloned. Without it a sandbox is made. An op is in two checkouts
and copier has one destination a run, so one op takes it two runs; the second row leaves out what our own migrations add
to it, the third has one run of copier in one checkout. Rows are medians of paired runs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from pairs import compare, show

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from generator.sandbox.write import write_sandbox  # noqa: E402
from tests.refresh import copier  # noqa: E402
from tests.refresh.kit import V11, make_templates, release  # noqa: E402

SCAFFOLD = str(Path(sys.executable).parent / "scaffold")
REPOS = ("lmdeploy", "dlinfer")
OPS = ("rms_norm_gated", "layer_norm_gated", "softmax_gated")
LIMIT = 1.5


def main() -> None:
    """Print all rows."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        source = Path(sys.argv[1]) if len(sys.argv) > 1 else work / "source"
        if len(sys.argv) < 2:
            write_sandbox(source)
        templates = make_templates(work / "templates")
        made = _apply(source, work / "made", templates)
        release(templates, "1.1.0", V11)
        os.environ.update(copier.environment(templates, work / "cache"))
        here = work / "here"

        def fresh() -> None:
            shutil.rmtree(here, ignore_errors=True)
            subprocess.run(["cp", "-r", str(made), str(here)], check=True)

        ours = [[SCAFFOLD, "update", "--template", str(templates), "--workspace", str(here)]]
        both = [_copier(here / repo) for repo in REPOS]
        what = "scaffold update, 3 ops in 2 checkouts / copier update"
        show(f"{what}, 1 op", compare(ours, both, runs=5, before=fresh), LIMIT)
        bare = [[*command, "--skip-tasks"] for command in both]
        show(f"{what}, no migrations", compare(ours, bare, runs=5, before=fresh), LIMIT)
        show(f"{what}, lmdeploy only", compare(ours, both[:1], runs=5, before=fresh), LIMIT)


def _apply(source: Path, made: Path, templates: Path) -> Path:
    """Three ops in clones of both checkouts, committed."""
    for repo in REPOS:
        subprocess.run(["git", "clone", "-q", str(source / repo), str(made / repo)], check=True)
    for op in OPS:
        words = ["--param", "x: Tensor", "--vendor", "camb", "--no-native-doc", "--template", str(templates)]
        subprocess.run([SCAFFOLD, "op", op, *words, "--workspace", str(made)], check=True, stdout=subprocess.DEVNULL)
    for repo in REPOS:
        copier.commit(made / repo)
    return made


def _copier(checkout: Path) -> list[str]:
    answers = f".scaffold/op-{OPS[0]}-camb/answers.yml"
    return [copier.COPIER, "update", "-q", "--trust", "--defaults", "-a", answers, str(checkout)]


if __name__ == "__main__":
    main()
