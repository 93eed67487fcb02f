"""The child process: proves each case and writes all answers as one JSON document."""

from __future__ import annotations

import json
import sys
import time
import traceback
from typing import Any


def main(asked: str, answered: str) -> None:
    """Prove the cases of the file `asked` and write the answers to `answered`."""
    with open(asked) as file:
        cases = json.load(file)
    answers = [answer(case) for case in cases]
    with open(answered, "w") as file:
        json.dump(answers, file)


def answer(case: dict[str, Any]) -> dict[str, Any]:
    """Return the answer for one case; whatever goes wrong in it is its error."""
    started = time.perf_counter()
    found: dict[str, Any] = {"name": case["name"], "ok": False, "error": None}
    try:
        from .prove import prove_case

        found |= prove_case(case)
    except Exception as error:  # noqa: BLE001 - one adapter that fails must not hide the others
        where = traceback.extract_tb(error.__traceback__)[-1]
        found["error"] = (
            f"{type(error).__name__}: {str(error)[:600]} ({where.filename.rpartition('/')[2]}:{where.lineno})"
        )
    return found | {"seconds": round(time.perf_counter() - started, 3)}


if __name__ == "__main__":
    main(*sys.argv[1:])
