"""`scaffold vllm-model` against `scaffold op`, and the construct-and-load proof of ten adapters in one process.

    python benchmarks/vllm_model.py [WORKSPACE]

WORKSPACE holds lmdeploy and dlinfer checkouts; without it a sandbox is made. Checkpoints, vLLM and its environment are
those of the tests. Both commands plan and write nothing. Rows are medians of paired runs.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from pairs import compare, show

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from generator.sandbox.write import write_sandbox  # noqa: E402
from generator.vllm.proof.run import prove  # noqa: E402
from tests.upstream import vllm_env  # noqa: E402
from tests.upstream.vllm_adapter.world import case, generate, make, names  # noqa: E402

SCAFFOLD = str(Path(sys.executable).with_name("scaffold"))
LIMIT, SECONDS = 2.0, 120


def main() -> None:
    """Print all rows."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        workspace = Path(sys.argv[1]) if len(sys.argv) > 1 else work / "sandbox"
        if len(sys.argv) < 2:
            write_sandbox(workspace)
        checkpoints, checkout = make("make.py", work / "checkpoints"), vllm_env.checkout(work / "vllm")
        op = [SCAFFOLD, "op", "rms_norm_gated", "--vendor", "ascend", "--no-native-doc", "--dry-run"]
        op += ["--workspace", str(workspace)]
        for name in ("dense", "experts"):
            model = [SCAFFOLD, "vllm-model", str(checkpoints / name), "--vllm", str(checkout), "--strategy", "new"]
            model += ["--transformers", str(vllm_env.package() / "transformers"), "--dry-run"]
            show(f"scaffold vllm-model {name} / scaffold op", compare([model], [op]), LIMIT)
        wanted = names("make.py")[:10]
        for name in wanted:
            generate(checkpoints / name, checkout, "--strategy", "new")
        started = time.perf_counter()
        answers = prove(vllm_env.environment(), checkout, [case(name, checkpoints) for name in wanted])
        seconds = time.perf_counter() - started
        good = sum(answer["ok"] for answer in answers)
        what = f"{good} of {len(wanted)} adapters constructed and loaded in one process"
        print(f"{what}: {seconds:.0f} s (at most {SECONDS} s)")


if __name__ == "__main__":
    main()
