"""Writes the git bundle of the template history: python scripts/build_history.py OUTPUT."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main(output: str) -> None:
    """Write the bundle and say what is in it."""
    sys.path.insert(0, str(ROOT))
    from generator.refresh.bundle import write_bundle

    print(f"{output}: templates {', '.join(write_bundle(ROOT, Path(output)))}")


if __name__ == "__main__":
    main(sys.argv[1])
