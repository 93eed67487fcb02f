"""V10: latent caches and state caches are known to vLLM."""

from __future__ import annotations

from collections.abc import Iterator

from .rule import Finding, ModelRule, Subject, register

STATE = ("get_mamba_state_dtype_from_config", "get_mamba_state_shape_from_config")


@register
class Cache(ModelRule):
    """Without its `model_type` in `is_deepseek_mla`, a model with latent attention runs with full keys and values:
    slow, and silent. A hybrid class must say how large its state is.
    """

    id = "V10"
    title = "latent caches and state caches are known to vLLM"
    wants = ("checkpoint", "vllm")

    def find(self, subject: Subject) -> Iterator[Finding]:
        for place in subject.decision.places:
            if place.name in ("MLA model types", "config convertor", "MODELS_CONFIG_MAP") and place.present is False:
                yield self.at(
                    place.repo,
                    place.path or "",
                    place.line or 1,
                    subject.analysis.text_model_type,
                    place.why,
                    f"add it to {place.name} (vllm-register --checkpoint does it for MLA)",
                    severity="error" if place.name == "MLA model types" else "warning",
                )
        if subject.analysis.attention.hybrid and subject.model:
            repo, file, cls = subject.model
            methods = {name for _, c in subject.family for name in c.methods}
            missing = [name for name in STATE if name not in methods]
            if missing and repo == "vllm":
                yield self.at(
                    repo, file.path, cls.line, cls.name, f"is hybrid and has no {', '.join(missing)}", "write it"
                )
