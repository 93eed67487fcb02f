"""A baseline: the findings that a project had when it adopted the check, by fingerprint."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from generator.errors import ScaffoldError

from .finding import Finding

_SCHEMA = "check-baseline/1"


def read_baseline(path: Path) -> Counter[str]:
    """Return the fingerprints of a baseline file, each as often as it was found.

    Raises:
        ScaffoldError: the file is not there, or is no baseline.
    """
    try:
        document = json.loads(path.read_bytes())
        if document["schema"] != _SCHEMA:
            raise ValueError(document["schema"])
        return Counter({str(f["fingerprint"]): int(f.get("count", 1)) for f in document["findings"]})
    except FileNotFoundError:
        next = f"write one with `scaffold check --write-baseline {path}`"
        raise ScaffoldError("there is no baseline", where=str(path), next=next) from None
    except OSError as error:
        raise ScaffoldError(f"the baseline cannot be read: {error.strerror}", where=str(path)) from None
    except (ValueError, KeyError, TypeError, AttributeError):
        next = "write it again with --write-baseline"
        raise ScaffoldError(f"that is no baseline ({_SCHEMA})", where=str(path), next=next) from None


def subtract(findings: Iterable[Finding], known: Counter[str]) -> tuple[list[Finding], int]:
    """Return the findings that the baseline does not have, and how many it has taken."""
    left, kept, taken = Counter(known), [], 0
    for finding in findings:
        if left[finding.fingerprint] > 0:
            left[finding.fingerprint] -= 1
            taken += 1
        else:
            kept.append(finding)
    return kept, taken


def write_baseline(path: Path, findings: Iterable[Finding]) -> None:
    """Write the findings as a baseline, sorted, so that a diff of it can be read.

    Raises:
        ScaffoldError: it cannot be written.
    """
    counts = Counter(finding.fingerprint for finding in findings)
    rows = {
        f.fingerprint: {
            "fingerprint": f.fingerprint,
            "rule": f.rule,
            "where": f"{f.place.repo}/{f.place.path}",
            "subject": f.subject,
            **({"count": counts[f.fingerprint]} if counts[f.fingerprint] > 1 else {}),
        }
        for f in findings
    }
    document = {"schema": _SCHEMA, "findings": sorted(rows.values(), key=lambda row: (row["rule"], row["where"]))}
    try:
        path.write_bytes(json.dumps(document, indent=1, ensure_ascii=False).encode() + b"\n")
    except OSError as error:
        raise ScaffoldError(f"the baseline cannot be written: {error.strerror}", where=str(path)) from None
