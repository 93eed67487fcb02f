"""Writes `docs/check-rules.md` from the rules; what stands below its last generated line is kept."""

from __future__ import annotations

import sys
from pathlib import Path

from generator.checks.explain import page

MARK = "<!-- below: written by hand -->"


def main() -> int:
    path = Path(__file__).parent.parent / "docs" / "check-rules.md"
    old = path.read_bytes().decode() if path.exists() else ""
    by_hand = old.partition(MARK)[2]
    new = page() + f"\n{MARK}{by_hand or chr(10)}"
    if "--check" in sys.argv:
        return int(new != old)
    path.write_bytes(new.encode())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
