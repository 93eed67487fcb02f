"""What `copier.yml` runs in a checkout: python -m generator.refresh task|before|after ANSWERS TEMPLATES."""

from __future__ import annotations

import sys
from pathlib import Path


def main(stage: str, answers: str, templates: str) -> int:
    """Run one stage in the current folder and return the exit code: 1 for conflicts, 2 if nothing was done."""
    from generator.cli.failure import report
    from generator.errors import ScaffoldError
    from generator.source.errors import SourceError

    from .migrate import Call, after, before, insert

    try:
        call = Call.of(Path.cwd().resolve(), answers, Path(templates))
        plan = {"task": insert, "before": before, "after": after}[stage](call)
    except (ScaffoldError, SourceError) as error:
        return report(error, verbose=False)
    for note in plan.notes if plan else ():
        print(f"{note.level}: {note.text}", file=sys.stderr)
        for label, value in (("at", note.where), ("next", note.next)):
            if value:
                print(f"   {label}: {value}", file=sys.stderr)
    return plan.exit if plan else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
