"""The answers that a context field is rendered from: type and value, and where the metadata is declared and built."""

from __future__ import annotations

from typing import Any

from generator.errors import ScaffoldError
from generator.survey.step_update import StepUpdate, block_shape_signature
from generator.workspace.profile import probe_lmdeploy

from .field_request import FieldRequest
from .field_sight import FieldSight
from .field_type import FieldType, field_type
from .field_value import FieldValue, field_value
from .previous import previous_answers
from .scene import Scene

KIND = "context-field"
REPOS = ("lmdeploy", "dlinfer")
_MOE = "DlinferMoeMetadata"
SHAPES = ("get_k_block_shape", "get_v_block_shape")


class FieldAnswers:
    """Answers for one field, per vendor and checkout."""

    def __init__(self, request: FieldRequest, sight: FieldSight, scene: Scene):
        self._request, self._sight, self._scene = request, sight, scene
        self._previous = {repo: previous_answers(scene, KIND, request.name, repo) for repo in REPOS}
        self._fresh: dict[str, dict[str, Any]] = {}

    def of(self, vendor: str, repo: str) -> dict[str, Any]:
        """All answers for one vendor and checkout; those of an earlier run are given again.

        Raises:
            ScaffoldError: the value cannot be computed there, or the field is applied with other answers.
        """
        before = self._previous[repo].get(vendor)
        if before is not None:
            self._refuse_other(before["context_field"], vendor)
            return before
        common = {"kind": KIND, "repo": repo, "name": self._request.name, "vendor": vendor}
        return {**self._scene.template.answers, **common, "context_field": self._field(vendor)}

    def there(self, vendor: str) -> list[tuple[str, str, int, str]]:
        """Repository, path, line and name of what upstream has already."""
        if any(vendor in answers for answers in self._previous.values()):
            return []
        sight, name, found = self._sight, self._request.name, []
        step = sight.step(vendor)
        declared = sight.fields.get(name)
        if declared is not None and not self._ours:
            found.append((sight.home.repo, declared.path, declared.line, f"{declared.cls}.{name}"))
        call = step.constructor(sight.metadata)
        if call is not None and name in call.lines:
            found.append(("lmdeploy", step.path, call.lines[name], f"{name}="))
        if sight.metadata == "step" and name in step.sets:
            found.append(("lmdeploy", step.path, step.sets[name][1], f"step_context.{name}"))
        if self._request.kv_block_shape:
            found += [("lmdeploy", step.path, line, shape) for shape, line in step.shapes.items()]
        return found

    def type(self, vendor: str) -> FieldType:
        """The annotation and default; those of another vendor that has the field already."""
        shared = self._shared
        if shared is not None:
            return FieldType(shared["annotation"], shared["default"], tuple(map(tuple, shared["imports"])))
        declared = self._sight.fields.get(self._request.name)
        if self._sight.metadata == "step":
            return FieldType(self._request.type, "None", ())
        if declared is not None:
            return FieldType(declared.annotation, declared.default or "None", ())
        era = probe_lmdeploy(self._scene.workspace["lmdeploy"]).annotations
        return field_type(self._request.type, self._sight.home_names, era, self._sight.metadata)

    def value(self, vendor: str) -> FieldValue:
        """The checked value."""
        step = self._sight.step(vendor)
        local = self._request.name if self._sight.metadata != "step" else ""
        return field_value(local, self._request.value, step, _limit(step, self._sight.metadata))

    @property
    def _ours(self) -> bool:
        return self._shared is not None and "field" in self._shared["places"]

    @property
    def _shared(self) -> dict[str, Any] | None:
        found = [a["context_field"] for answers in self._previous.values() for a in answers.values()]
        found += list(self._fresh.values())
        return next((f for f in found if f["metadata"] == self._request.metadata), None)

    def _field(self, vendor: str) -> dict[str, Any]:
        if vendor in self._fresh:
            return self._fresh[vendor]
        sight, step = self._sight, self._sight.step(vendor)
        type_, value = self.type(vendor), self.value(vendor)
        call = step.constructor(sight.metadata)
        self._fresh[vendor] = {
            "metadata": sight.metadata,
            "value": value.text,
            "annotation": type_.annotation,
            "default": type_.default,
            "imports": [list(pair) for pair in type_.imports],
            "home": {"repo": sight.home.repo, "path": sight.home.path, "cls": sight.home.cls},
            "path": step.path,
            "cls": step.cls,
            "base": step.base,
            "scope": step.scope,
            "opening": self._opening(step),
            "callee": call.callee if call and not self._built else _MOE,
            "build": self._build(step),
            "helper": step.helpers[-1] if step.helpers and not value.plain else "",
            "shapes": {name: str(sig) for name in SHAPES if (sig := self._shape(name, step))},
            "places": self._places(vendor, step, value),
        }
        return self._fresh[vendor]

    @property
    def _built(self) -> bool:
        """True if an earlier run had to build the MoE metadata, for this field or another one."""
        entries = self._scene.ledger.pages["lmdeploy"].entries.values()
        texts = [(e.insertion or {}).get("text", "") for e in entries]
        return any(text.startswith(f"moe_metadata = {_MOE}(") for text in texts)

    def _build(self, step: StepUpdate) -> list[str]:
        """The import of the metadata's class, if the vendor builds none yet: module, name and alias; else nothing."""
        if self._sight.metadata != "moe" or (step.moe is not None and not self._built):
            return []
        if self._sight.offers_moe_class():
            return ["..moe", _MOE, ""]
        return ["dlinfer.utils.type_annotation", "MoeMetadata", _MOE]

    def _opening(self, step: StepUpdate) -> str:
        """How the statement begins above which a value must be ready."""
        if self._build(step):
            return f"moe_metadata = {_MOE}("
        call = step.constructor(self._sight.metadata) or step.attn
        return call.opening if call else ""

    def _places(self, vendor: str, step: StepUpdate, value: FieldValue) -> list[str]:
        name, sight, places = self._request.name, self._sight, []
        if sight.metadata == "step":
            return ["set"] if name not in step.sets else []
        if name not in sight.fields or self._ours:
            places.append("field")
        if name in sight.filled(vendor):
            return places
        return [*places, *([] if value.plain else ["value"]), "keyword"]

    def _shape(self, name: str, step: StepUpdate):
        if not self._request.kv_block_shape or name in step.shapes:
            return None
        return block_shape_signature(self._scene.workspace["lmdeploy"], name)

    def _refuse_other(self, before: dict[str, Any], vendor: str) -> None:
        now = {"value": self._request.value.replace(" ", ""), "metadata": self._request.metadata}
        for key, value in now.items():
            if before[key].replace(" ", "").replace('"', "'") != value.replace('"', "'"):
                raise ScaffoldError(
                    f"{self._request.name} is applied on {vendor} with another {key}: `{before[key]}`",
                    next=f"run `scaffold undo {KIND}-{self._request.name}-{vendor}` first",
                )


def _limit(step: StepUpdate, metadata: str) -> int:
    call = step.constructor(metadata) or step.attn
    return call.line if call else step.line
