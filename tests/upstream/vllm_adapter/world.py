"""Checkpoints, checkouts and adapters that the proofs share."""

import re
import subprocess
from pathlib import Path

from generator.cli.main import run
from generator.vllm.proof.run import Case

from .. import vllm_env

HERE = Path(__file__).parent
PLAIN = str(HERE / "plain.py")
# The engine refuses fp8 weights in float32, so their configuration is taken away; the adapter multiplies them out.
IMAGE = {"token": 5, "count": 16, "size": 32}
# The language model sees the features of the last but one layer: what lies behind it is not built.
BEHIND = (r"vision_model\.encoder\.layers\.1\.", r"vision_model\.post_layernorm\.")
WITH_IMAGES = {"image", "llava"}
# The module for multi-token prediction loads its layer, and the main model the others.
ELSEWHERE = {"predicting": (r"^model\.layers\.2\.",)}
DRAFT = {"overrides": {"architectures": ["PredaMTPModel"]}, "ignored": (r"^model\.layers\.[01]\.", r"^model\.norm\.")}
OVERRIDES = {"fp8": {"quantization_config": None}}


def make(script, folder, *names):
    """Run a maker of checkpoints and return the folder."""
    done = subprocess.run(
        [vllm_env.environment(), HERE / script, folder, *names],
        capture_output=True,
        text=True,
        env={"HF_HUB_OFFLINE": "1", "PATH": "/usr/bin:/bin", "HOME": str(folder)},
    )
    assert done.returncode == 0, done.stderr
    return folder


def generate(checkpoint, checkout, *options):
    """Run `scaffold vllm-model` and return its exit code."""
    transformers = vllm_env.package() / "transformers"
    return run(["vllm-model", str(checkpoint), "--vllm", str(checkout), "--transformers", str(transformers), *options])


def names(script):
    """Return the names of the checkpoints that a maker knows, without importing torch."""
    text = (HERE / script).read_text()
    if script == "families.py":
        return re.findall(r'^    "(\w+)": \("', text, re.M)
    return re.findall(r"^def (\w+)\(root, name\):", text, re.M)


def case(name, folder, **more):
    """Return the case of a checkpoint."""
    seen = {"image": IMAGE, "ignored": BEHIND} if name in WITH_IMAGES else {"ignored": ELSEWHERE.get(name, ())}
    return Case(more.pop("title", name), str(folder / name), **{"overrides": OVERRIDES.get(name), **seen, **more})


def failures(answers):
    """Return what went wrong, one line an adapter."""
    return [str({k: v for k, v in a.items() if k != "ok"}) for a in answers if not a["ok"]]
