"""The checklist of a port: every row is closed by rules, or open with the command to run on the device."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from .evidence import Evidence
from .finding import ERROR, WARNING, Finding
from .report import Report

CLOSED, FAILED, OPEN = "closed", "failed", "open"
# Area, what is to hold, and the rules that close it.
_BY_RULE = (
    ("ops", "every op that a dispatcher reaches is there on all layers", ("OP002", "OP009", "OP015")),
    ("ops", "one key on all layers", ("OP001",)),
    ("ops", "every call binds to the layer below", ("OP003", "OP004", "OP005")),
    ("ops", "dispatcher branch, builder and OpType agree with the nn layer", ("OP006", "OP008", "OP019")),
    ("ops", "exports and imports", ("OP007", "OP017", "OP023")),
    ("ops", "abstract functions and defaults", ("OP010", "OP021", "OP022")),
    ("ops", "parameters and names are used and bound", ("OP011", "OP012", "OP020")),
    ("vendor backend", "every metadata field that is read is built", ("C001",)),
    ("graph buffers", "make, fill and update agree, and none is missing", ("G001", "G002", "G003", "G006")),
    ("graph buffers", "nothing of one step is captured", ("G005", "G007", "G008")),
    ("patches", "applied, imported, and fit for lmdeploy", ("OP018", "VEN001")),
)
_RUN = (
    'python -c "from lmdeploy import pipeline, PytorchEngineConfig as C; '
    "print(pipeline('{model}', backend_config=C(device_type='{vendor}', eager_mode={eager}))('Hello'))\""
)
_BY_DEVICE = (
    ("quantisation", "the layout of quantised weights is right", "QUANTISED_MODEL", True),
    ("run", "a model answers in eager mode", "MODEL", True),
    ("run", "a model answers in graph mode", "MODEL", False),
)


@dataclass(frozen=True)
class Row:
    """One row.

    Attributes:
        id: `ops-1-camb`; what a reader quotes.
        vendor: for whom.
        area: what it belongs to.
        what: what is to hold.
        status: `closed`, `failed` or `open`.
        rules: the rules that close it; none for a row of the device.
        why: what closed it, or why it failed.
        command: what to run on the device, for an open row.
    """

    id: str
    vendor: str
    area: str
    what: str
    status: str
    rules: tuple[str, ...] = ()
    why: str = ""
    command: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return JSON-able data."""
        return {**vars(self), "rules": list(self.rules)}


def make_checklist(report: Report, vendors: Iterable[str], evidence: Iterable[Evidence] = ()) -> list[Row]:
    """The rows for some vendors, those of the device closed or failed by evidence."""
    rows = [row for vendor in vendors for row in (*_rule_rows(report, vendor), *_device_rows(vendor))]
    for one in evidence:
        rows = [_judged(row, one) for row in rows]
    return rows


def to_json(rows: list[Row]) -> dict[str, Any]:
    """The document of `--format json`."""
    return {
        "schema": "check-checklist/1",
        "command": "check",
        "exit": exit_code(rows),
        "rows": [row.to_json() for row in rows],
    }


def exit_code(rows: list[Row]) -> int:
    """1 if a row has failed, else 0: an open row is an answer."""
    return 1 if any(row.status == FAILED for row in rows) else 0


def to_text(rows: list[Row], *, markdown: bool = False) -> str:
    """The rows by vendor, with boxes."""
    lines: list[str] = []
    for vendor in dict.fromkeys(row.vendor for row in rows):
        lines += [f"## {vendor}" if markdown else vendor, ""] if markdown else [vendor]
        for row in (row for row in rows if row.vendor == vendor):
            box = {CLOSED: "x", FAILED: "!", OPEN: " "}[row.status]
            lines.append(f"- [{box}] {row.area}: {row.what} ({row.status}{': ' + row.why if row.why else ''})")
            if row.command and row.status != CLOSED:
                lines.append(f"      {'run' if row.rules else 'on the device'}: {row.command}")
        lines.append("")
    return "\n".join(lines).rstrip()


def _rule_rows(report: Report, vendor: str) -> Iterator[Row]:
    for number, (area, what, rules) in enumerate(_BY_RULE, 1):
        hits = [f for f in report.findings if f.rule in rules and _concerns(f, vendor)]
        looked = [rule for rule in rules if rule in report.rules_run]
        status = OPEN if len(looked) < len(rules) else FAILED if hits else CLOSED
        why = "; ".join(f"{f.rule} {f.place}" for f in hits[:3]) + (
            f" and {len(hits) - 3} more" if len(hits) > 3 else ""
        )
        if not hits:
            why = ", ".join(looked) if status == CLOSED else "a rule could not look"
        command = (
            None if status == CLOSED else f"scaffold check --vendor {vendor} " + " ".join(f"--rule {r}" for r in rules)
        )
        yield Row(f"{area.replace(' ', '-')}-{number}-{vendor}", vendor, area, what, status, rules, why, command)


def _concerns(finding: Finding, vendor: str) -> bool:
    return finding.severity in (ERROR, WARNING) and (not finding.vendors or vendor in finding.vendors)


def _device_rows(vendor: str) -> Iterator[Row]:
    for number, (area, what, model, eager) in enumerate(_BY_DEVICE, 1):
        command = _RUN.format(model=model, vendor=vendor, eager=eager)
        yield Row(f"device-{number}-{vendor}", vendor, area, what, OPEN, command=command)


def _judged(row: Row, evidence: Evidence) -> Row:
    if row.rules or row.command is None or not evidence.records(row.command):
        return row
    return replace(row, status=CLOSED if evidence.succeeded else FAILED, why=evidence.summary)
