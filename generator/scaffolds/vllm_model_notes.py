"""What a plan for an adapter says beside its steps."""

from __future__ import annotations

from generator.plan.builder import PlanBuilder
from generator.survey.vllm_vendor import Vendored
from generator.vllm.adapter.strategy import Strategy
from generator.vllm.decision.decision import Decision


def note_all(builder: PlanBuilder, chosen: Strategy, decision: Decision, path: str) -> None:
    """Say what was decided, what nothing says, and what to do next."""
    for reason in decision.reasons:
        builder.note("note", f"{decision.kind}: {reason}")
    for reason in chosen.instead:
        builder.note("warning", reason)
    if chosen.kind == "registered":
        builder.note(
            "note",
            f"no modelling code is needed: {decision.cls or decision.how} serves it",
            next="force an adapter with --strategy new",
        )
        return
    if chosen.served:
        builder.note(
            "note",
            f"the registry keeps its entry of {chosen.cls}; the new file is not registered",
            next="to serve with it, change the entry's module by hand",
        )
    if chosen.config_class:
        builder.note("note", f"transformers has no configuration of this model_type: {chosen.config_class} is written")
    if chosen.answers.get("dequantise"):
        builder.note(
            "note",
            "block-quantised fp8 weights are multiplied out while they are loaded: Ascend has no kernel for them",
            next="""serve with --hf-overrides '{"quantization_config": null}', so that vLLM does not quantise either""",
        )
    if chosen.adapter:
        for said in chosen.adapter.log.said:
            builder.note("note", f"{said.fact} (says {said.by})")
        for todo in chosen.adapter.log.todos:
            builder.note(
                "warning",
                f"TODO {todo.name}: {todo.question}",
                where=path,
                next=f"find out, then take the raise out of the part `{todo.place}`",
            )


def note_vendored(builder: PlanBuilder, vendored: dict[str, Vendored]) -> None:
    """List what is copied of a newer transformers, and what it asks for that is not copied."""
    for module in vendored.values():
        builder.note("note", f"copied with its licence: {module.source} ({module.cls}); only its imports are changed")
        if module.own:
            names = ", ".join(module.own)
            builder.note(
                "warning",
                f"{module.source} imports {names} of its own package, which is not copied",
                next="copy it by hand, or take the import out",
            )
