"""`scaffold --help` against an import of typer, `scaffold op` against `copier copy` of the same files.

    python benchmarks/op.py [WORKSPACE]

WORKSPACE holds lmdeploy and dlinfer checkouts that may be changed; without it a sandbox is made. Copier has one
destination a run, so the same files take it one run for each checkout. Rows are medians of paired runs.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from pairs import compare, show

from generator.render.root import template_root
from generator.sandbox.write import write_sandbox

BIN = Path(sys.executable).parent
SCAFFOLD, COPIER = str(BIN / "scaffold"), str(BIN / "copier")
# An op whose OpType lmdeploy has, and one that needs layer 0.
CASES = (("gelu_and_mul", 1.0), ("rms_norm_gated", 1.5))


def main() -> None:
    """Print all rows."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        workspace = Path(sys.argv[1]) if len(sys.argv) > 1 else work / "sandbox"
        if len(sys.argv) < 2:
            write_sandbox(workspace)
        show(
            "scaffold --help / import typer",
            compare([[SCAFFOLD, "--help"]], [[sys.executable, "-c", "import typer"]]),
            2.5,
        )
        template = work / "template"
        template.mkdir()
        shutil.copy(template_root() / "copier.yml", template)
        shutil.copytree(template_root() / "templates", template / "templates")
        for op, limit in CASES:
            pair = _against_copier(op, workspace, template, work)
            show(f"scaffold op {op} / copier copy", pair, limit)


def _against_copier(op: str, workspace: Path, template: Path, work: Path):
    # The check on its own result counts apart.
    run = [SCAFFOLD, "op", op, "--vendor", "camb", "--no-check", "--workspace", str(workspace)]
    undo = [SCAFFOLD, "undo", op, "--workspace", str(workspace)]
    subprocess.run(run, check=True, capture_output=True)
    copies = []
    for repo in ("lmdeploy", "dlinfer"):
        answers = work / f"{repo}.yml"
        text = (workspace / repo / ".scaffold" / f"op-{op}-camb" / "answers.yml").read_text()
        answers.write_text("".join(line for line in text.splitlines(True) if not line.startswith("_")))
        target = str(work / "out" / repo)
        copies.append(
            [
                COPIER,
                "copy",
                "-q",
                "--trust",
                "--defaults",
                "--skip-tasks",
                "--data-file",
                str(answers),
                str(template),
                target,
            ]
        )

    def clean() -> None:
        subprocess.run(undo, check=False, capture_output=True)
        shutil.rmtree(work / "out", ignore_errors=True)

    pair = compare([run], copies, before=clean)
    clean()
    return pair


if __name__ == "__main__":
    main()
