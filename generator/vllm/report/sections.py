"""The report as sections of rows; text and Markdown print the same ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..analysis.analysis import Analysis
from ..decision.decision import Decision
from .document import all_findings

SHOWN = 40


@dataclass(frozen=True)
class Section:
    """A heading, column names and rows; cells are plain text that still has to be cleaned."""

    title: str
    header: tuple[str, ...]
    rows: list[tuple[object, ...]]


def sections(analysis: Analysis, decision: Decision, say: Callable[[str], str]) -> list[Section]:
    """Return the sections that have rows. `say` translates the report's own words."""
    found = [
        Section("what it is", ("aspect", "answer", "says"), _aspects(analysis, decision, say)),
        Section("keys", ("prefix", "count"), list(analysis.groups.prefixes().items())[:SHOWN]),
        Section("role", ("role", "count"), sorted(analysis.explained.roles.items(), key=lambda item: -item[1])),
        Section(
            "unexplained", ("pattern", "count"), [(g.pattern, g.count) for g in analysis.explained.unexplained[:SHOWN]]
        ),
        Section(
            "tensor parallel",
            ("ranks", "works", "key-value heads per rank", "replicas", "remarks"),
            [_split(s, say) for s in analysis.splits] if analysis.attention.heads.heads else [],
        ),
        Section(
            "remote code",
            ("auto class", "code"),
            list(analysis.remote.auto_map.items()) + [(say("file"), name) for name in analysis.remote.files],
        ),
        Section("places", ("place", "state", "otherwise", "file"), [_place(p, say) for p in decision.places]),
        Section(
            "portability",
            ("class", "kind", "file", "means"),
            [(p["name"], p["kind"], f"{p['path']}:{p['line']}", p["means"]) for p in decision.portability],
        ),
        Section("near misses", ("architecture",), [(name,) for name in decision.near]),
        Section(
            "findings",
            ("severity", "rule", "subject", "message", "next"),
            [_finding(f, say) for f in all_findings(analysis, decision)],
        ),
    ]
    return [section for section in found if section.rows]


def _aspects(a: Analysis, decision: Decision, say: Callable[[str], str]) -> list[tuple[object, ...]]:
    none = say("none")
    tied = {True: say("yes"), False: say("no"), None: say("unknown")}[a.tied]
    return [
        ("checkpoint", a.checkpoint.root, a.checkpoint.weights.source or none),
        ("architecture", a.architecture or none, f"model_type = {a.model_type}" if a.model_type else none),
        ("decision", _decision(decision, say), "; ".join(decision.reasons)),
        ("attention", _attention(a), "; ".join(a.attention.says)),
        ("experts", f"{a.moe.experts}, top {a.moe.top_k}" if a.moe else none, "; ".join(a.moe.says) if a.moe else ""),
        ("rope", _rope(a) if a.rope else none, "; ".join(a.rope.says) if a.rope else ""),
        ("qk norm", a.qk_norm.width if a.qk_norm else none, "; ".join(a.qk_norm.says) if a.qk_norm else ""),
        ("quantisation", _quantisation(a) or none, "; ".join(a.quantization.says) if a.quantization else ""),
        (
            "multimodal",
            ", ".join(a.multimodal.modalities) if a.multimodal else none,
            "; ".join(a.multimodal.says) if a.multimodal else "",
        ),
        (
            "prediction layers",
            f"{a.mtp.layers}, {a.mtp.status}" if a.mtp else none,
            "; ".join(a.mtp.says) if a.mtp else "",
        ),
        ("tied embeddings", tied, "; ".join(a.says["tied_embeddings"])),
        ("longest sequence", a.max_length or say("unknown"), "; ".join(a.says["max_length"])),
        ("explained", f"{a.explained.explained} / {a.groups.total}", say("keys")),
    ]


def _decision(decision: Decision, say: Callable[[str], str]) -> str:
    how = f" ({decision.how})" if decision.how else ""
    code = (
        ""
        if decision.needs_code
        else "; "
        + say("no modelling code needed" if decision.kind == "registered" else "an entry in the registry is enough")
    )
    where = f": {decision.cls}, {decision.path or decision.module}" if decision.cls else ""
    return say(decision.kind) + how + where + code


def _attention(a: Analysis) -> str:
    heads = a.attention.heads
    sizes = f"; {heads.heads} heads, {heads.kv_heads} key-value heads, size {heads.head_size}" if heads.heads else ""
    window = a.attention.window.as_json()
    windows = f"; {window['kind']} window {window['size']}" if window else ""
    return ", ".join(a.attention.kinds or ["none"]) + sizes + windows


def _rope(a: Analysis) -> str:
    flags = (("mrope", a.rope.mrope), ("partial", a.rope.partial), ("nested", a.rope.nested))
    extras = [name for name, on in flags if on]
    return ", ".join([*a.rope.types, *extras])


def _quantisation(a: Analysis) -> str:
    return ", ".join(filter(None, (a.quantization.method, a.quantization.scheme))) if a.quantization else ""


def _split(split, say: Callable[[str], str]) -> tuple[object, ...]:
    works = say("no") if split.problems else say("yes")
    return split.size, works, split.kv_heads, split.replicas, "; ".join(split.problems + split.notes)


def _place(place, say: Callable[[str], str]) -> tuple[object, ...]:
    state = {True: "there", False: "missing", None: "not in this checkout"}[place.present]
    where = f"{place.repo}/{place.path}" + (f":{place.line}" if place.line else "") if place.path else ""
    return place.name, say(state), place.why, where


def _finding(finding, say: Callable[[str], str]) -> tuple[object, ...]:
    return say(finding.severity), finding.rule, finding.subject, finding.message, finding.next or ""
