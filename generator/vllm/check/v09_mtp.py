"""V09: prediction layers agree between configuration, keys and vLLM's lists."""

from __future__ import annotations

from collections.abc import Iterator

from .rule import Finding, ModelRule, Subject, register

LISTS = ("hf_config_override", "_SPECULATIVE_DECODING_MODELS", "MTPModelTypes", "convertor of the draft model")


@register
class Prediction(ModelRule):
    """A configuration that promises prediction layers which the checkpoint does not hold starts and never accepts a
    token; layers that no list of vLLM names are never used. Both are named; `checkpoint-missing` is an answer for the
    report, not an error of the adapter.
    """

    id = "V09"
    title = "prediction layers agree between configuration, keys and lists"
    severity = "warning"
    wants = ("checkpoint", "vllm")

    def find(self, subject: Subject) -> Iterator[Finding]:
        mtp = subject.analysis.mtp
        if mtp is None:
            return
        if mtp.status in ("checkpoint-missing", "config-missing"):
            what = (
                "the configuration has them, the keys do not"
                if mtp.status == "checkpoint-missing"
                else ("the keys have them, no field says so")
            )
            yield self.at(
                "checkpoint",
                "config.json",
                1,
                mtp.says[0],
                f"prediction layers: {what}",
                "report the feature as checkpoint-missing"
                if mtp.status == "checkpoint-missing"
                else "add num_nextn_predict_layers",
            )
        for place in subject.decision.places:
            if place.name in LISTS and place.present is False:
                yield self.at(
                    "vllm",
                    place.path or "vllm/config/speculative.py",
                    place.line or 1,
                    place.name,
                    place.why,
                    "register the draft class with vllm-register --kind speculative --checkpoint",
                )
