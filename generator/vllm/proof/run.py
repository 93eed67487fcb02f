"""Start the child process and read its answers."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from generator.errors import ScaffoldError

PACKAGE = Path(__file__).resolve().parents[3]
# What makes a vLLM on a CPU quiet, offline and steady; compiling helpers costs more than it saves here.
ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "VLLM_LOGGING_LEVEL": "ERROR",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_PLUGINS": "",
    "TORCH_COMPILE_DISABLE": "1",
    "VLLM_TARGET_DEVICE": "cpu",
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "PYTHONDONTWRITEBYTECODE": "1",
}


@dataclass(frozen=True)
class Case:
    """One adapter to prove.

    Attributes:
        name: for the answer.
        checkpoint: the folder with its weights.
        reference: a Python file that defines `logits(folder, ids)`, or None to construct and load only.
        ignored: regular expressions of keys that may go unused.
        source: a file to take for the adapter instead of the registered one, or None (for mutants).
        overrides: fields of the configuration that are set otherwise.
        engine: generate with the whole engine as well.
    image: `{"token": id, "count": tokens of an image, "size": pixels}`, or None for text only.
    own: compare with the registered class, run in the same way, instead of a reference file.
    """

    name: str
    checkpoint: str
    reference: str | None = None
    ignored: tuple[str, ...] = ()
    source: str | None = None
    overrides: dict[str, Any] | None = None
    engine: bool = False
    own: bool = False
    image: dict[str, int] | None = None


def prove(python: Path, checkout: Path, cases: list[Case], timeout: float = 600.0) -> list[dict[str, Any]]:
    """Return one answer for each case, in their order: `{name, ok, error, seconds, …}`.

    Args:
        python: the interpreter of an environment that has torch and what vLLM needs.
        checkout: the folder that holds the `vllm` package to prove in.
        timeout: seconds for the whole process.

    Raises:
        ScaffoldError: the child died or took too long.
    """
    with tempfile.TemporaryDirectory() as folder:
        asked, answered = Path(folder) / "cases.json", Path(folder) / "answers.json"
        asked.write_text(json.dumps([asdict(case) for case in cases]))
        path = os.pathsep.join([str(checkout), str(PACKAGE)])
        environment = {**os.environ, **ENVIRONMENT, "PYTHONPATH": path}
        argv = [str(python), "-m", "generator.vllm.proof.child", str(asked), str(answered)]
        try:
            done = subprocess.run(argv, env=environment, cwd=folder, capture_output=True, timeout=timeout, check=False)
        except subprocess.TimeoutExpired:
            raise ScaffoldError(f"the proof took longer than {timeout:.0f} s", next="prove fewer adapters") from None
        if not answered.exists():
            tail = done.stderr.decode(errors="replace").strip().splitlines()[-12:]
            raise ScaffoldError("the proof died: " + " | ".join(tail), where=str(python))
        return json.loads(answered.read_text())
