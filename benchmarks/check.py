"""What `scaffold check` costs, beside one process that parses the files in scope.

    python benchmarks/check.py --workspace DIR [--rounds N]

Prints medians of CPU time (user and system, steadier on a busy machine) and of wall time, and the ratios that
DESIGN names: cold to parsing (at most 2), warm to the larger of 0.4 × cold and 1.5 × `scaffold --version` (at most 1).
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PARSE = """
import ast, os, sys
for folder in sys.argv[1:]:
    for base, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".py"):
                with open(os.path.join(base, name), "rb") as file:
                    ast.parse(file.read())
"""
SCOPE = ("lmdeploy/lmdeploy/pytorch", "dlinfer/dlinfer")


def main() -> int:
    args = _arguments()
    scaffold = str(Path(sys.executable).with_name("scaffold"))
    check = [scaffold, "check", "--workspace", str(args.workspace)]
    parse = [sys.executable, "-c", PARSE, *(str(args.workspace / folder) for folder in SCOPE)]
    rows: dict[str, list[tuple[float, float, int]]] = {"parse": [], "cold": [], "warm": [], "version": []}
    for _ in range(args.rounds):
        with tempfile.TemporaryDirectory() as cache:
            env = {**os.environ, "XDG_CACHE_HOME": cache}
            rows["parse"].append(_run(parse, env))
            rows["cold"].append(_run(check, env))
            rows["warm"].append(_run(check, env))
            rows["version"].append(_run([scaffold, "--version"], env))
    for index, unit in ((0, "CPU"), (1, "wall")):
        median = {name: statistics.median(row[index] for row in taken) for name, taken in rows.items()}
        print(f"{unit:4}  " + "  ".join(f"{name} {value:.2f} s" for name, value in median.items()))
        bound = max(0.4 * median["cold"], 1.5 * median["version"])
        print(
            f"{unit:4}  cold / parse {median['cold'] / median['parse']:.2f}   warm / bound {median['warm'] / bound:.2f}"
        )
    print(f"memory of a cold run: {max(row[2] for row in rows['cold']) / 1024:.0f} MB")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workspace", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    return parser.parse_args()


def _run(command: list[str], env: dict[str, str]) -> tuple[float, float, int]:
    """CPU seconds, wall seconds and peak memory in KB of one process."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - begin, usage.ru_maxrss


if __name__ == "__main__":
    raise SystemExit(main())
