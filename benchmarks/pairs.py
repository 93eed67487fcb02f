"""Times two commands side by side, in turn, and compares their medians."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Cost:
    """Medians of one command: wall and CPU seconds (its children included), peak memory in MB."""

    wall: float
    cpu: float
    memory: float


@dataclass(frozen=True)
class Pair:
    """Two commands and what they cost."""

    ours: Cost
    theirs: Cost

    @property
    def ratio(self) -> float:
        """Our CPU time over theirs: steadier than wall time on a busy machine."""
        return self.ours.cpu / self.theirs.cpu


def compare(
    ours: Sequence[Sequence[str]],
    theirs: Sequence[Sequence[str]],
    *,
    runs: int = 7,
    before: Callable[[], None] = lambda: None,
    cwd: Path | None = None,
) -> Pair:
    """Run two lists of commands in turn, `runs` times after one warm-up, with `before` ahead of each."""
    costs: tuple[list[Cost], list[Cost]] = ([], [])
    for i in range(runs + 1):
        for commands, into in zip((ours, theirs), costs, strict=True):
            before()
            cost = _run(commands, cwd)
            if i:
                into.append(cost)
    return Pair(*(_median(c) for c in costs))


def show(what: str, pair: Pair, limit: float) -> None:
    """Print one row: both medians, the ratio and what it must not exceed."""
    print(
        f"{what:52} {pair.ours.cpu * 1000:6.0f} / {pair.theirs.cpu * 1000:6.0f} ms CPU   "
        f"{pair.ours.wall * 1000:6.0f} / {pair.theirs.wall * 1000:6.0f} ms wall   "
        f"ratio {pair.ratio:4.2f} (at most {limit})   {pair.ours.memory:4.0f} MB"
    )


def _run(commands: Sequence[Sequence[str]], cwd: Path | None) -> Cost:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    start, peak = time.perf_counter(), 0.0
    for command in commands:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=cwd)
        _, status, own = os.wait4(process.pid, 0)
        peak = max(peak, own.ru_maxrss / 1024)
        if status:
            raise SystemExit(f"{' '.join(command)} failed: {process.stderr.read().decode()}")
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
    return Cost(time.perf_counter() - start, cpu, peak)


def _median(costs: list[Cost]) -> Cost:
    return Cost(*(statistics.median(getattr(c, f) for c in costs) for f in ("wall", "cpu", "memory")))
