"""Print the table of mutants for docs/vllm-adapter.md: what each mistake changes, and what sees it.

    python scripts/vllm_mutants.py FOLDER

FOLDER is an empty one for checkpoints and a checkout; the environment is the tests' own.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from generator.vllm.proof.run import prove  # noqa: E402
from tests.upstream import vllm_env  # noqa: E402
from tests.upstream.vllm_adapter import mutants  # noqa: E402
from tests.upstream.vllm_adapter.world import PLAIN, case, generate, make, names  # noqa: E402


def main(folder: str) -> None:
    """Make everything in `folder` and print one row a mutant."""
    root = Path(folder)
    checkpoints, checkout = make("make.py", root / "checkpoints"), vllm_env.checkout(root / "checkout")
    for name in names("make.py"):
        generate(checkpoints / name, checkout, "--strategy", "new")
    cases = []
    for mutant in mutants.MUTANTS:
        text = (checkout / "vllm/model_executor/models" / f"{mutants.MODULES[mutant.checkpoint]}.py").read_text()
        source = Path(tempfile.mkdtemp(dir=root)) / "adapter.py"
        source.write_text(mutant.applied(text))
        cases.append(case(mutant.checkpoint, checkpoints, title=mutant.name, reference=PLAIN, source=str(source)))
    print("| mistake | adapter | unfed | lost | largest difference of a logit |\n|---|---|---|---|---|")
    for mutant, answer in zip(mutants.MUTANTS, prove(vllm_env.environment(), checkout, cases), strict=True):
        print(row(mutant, answer))


def row(mutant: mutants.Mutant, answer: dict) -> str:
    """Return one row."""
    seen = answer.get("difference")
    figure = "raises while loading" if answer["error"] else f"{seen:.1e}" if seen == seen else "-"
    counts = [str(len(answer.get(what, ()))) for what in ("unfed", "lost")]
    return f"| {mutant.name} | `{mutant.checkpoint}` | {' | '.join(counts)} | {figure} |"


if __name__ == "__main__":
    main(sys.argv[1])
