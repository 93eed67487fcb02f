"""The answers that a graph buffer is rendered from: what it is, and where the vendor's file has its places."""

from __future__ import annotations

from typing import Any

from generator.errors import ScaffoldError
from generator.survey.graph_records import GraphFile

from .graph_existing import places_there, refuse_broken, wanted_places
from .graph_shape import Shape, refuse_misfit
from .graph_sight import GraphSight
from .previous import previous_answers
from .scene import Scene

KIND = "graph-buffer"
# How a runner that builds its own CudaGraphMeta knows a flag; as lmdeploy's own runner passes it.
_FLAGS = {"is_ssm": "len({config}.states_shapes) > 0", "use_mrope": "{config}.use_mrope"}
_NEW_INPUTS = "new_inputs = dict("


class GraphAnswers:
    """Answers for one buffer, per vendor."""

    def __init__(self, name: str, shape: Shape, sight: GraphSight, scene: Scene):
        self._name, self._shape, self._sight, self._scene = name, shape, sight, scene
        self._previous = previous_answers(scene, KIND, name, "dlinfer")

    def of(self, vendor: str) -> dict[str, Any]:
        """All answers for one vendor; those of an earlier run are given again.

        Raises:
            ScaffoldError: a place is missing, the field cannot be a graph buffer, or it is applied with other answers.
        """
        if vendor in self._previous:
            self._refuse_other(vendor)
            return self._previous[vendor]
        return {
            **self._scene.template.answers,
            "kind": KIND,
            "repo": "dlinfer",
            "name": self._name,
            "vendor": vendor,
            "buffer": self._buffer(vendor),
        }

    def there(self, vendor: str) -> dict[str, int]:
        """The places that upstream has, with their lines; none of those that an earlier run wrote."""
        if vendor in self._previous:
            return {}
        there = places_there(self._sight.buffer(vendor))
        return {role: line for role, line in there.items() if role in wanted_places(self._shape)}

    def _buffer(self, vendor: str) -> dict[str, Any]:
        shape, sight = self._shape, self._sight
        file = sight.file(vendor)
        refuse_python(self._name, shape, sight)
        refuse_broken(self._name, vendor, shape, sight)
        refuse_misfit(self._name, vendor, shape, sight)
        declared = sight.owner_field(shape.owner)
        places = [p for p in wanted_places(shape) if p not in self.there(vendor)]
        return {
            **self._what(),
            "context_name": sight.context_name,
            "places": places,
            "path": file.path,
            "scopes": {role: function.scope for role, function in file.functions.items()},
            "slice": file.batch_slice,
            "declared": declared is not None,
            "sequence": bool(declared and declared.is_sequence),
            "optional": shape.owner == "moe_metadata" and not self._sets_moe(vendor),
            "anchor": self._anchor(file),
            "binds_moe": self._binds_moe(file),
            "flags": self._flags(file) if "make" in places else [],
        }

    def _what(self) -> dict[str, Any]:
        """What was asked for, as far as it is the same for every vendor."""
        shape = self._shape
        return {
            "owner": shape.owner,
            "dims": [[d.text, d.kind, d.extra] for d in shape.dims],
            "dtype": shape.dtype,
            "fill": shape.fill,
            "constant": shape.constant,
            "when": shape.when,
        }

    def _anchor(self, file: GraphFile) -> str:
        """What the fill of a metadata field stands before: the model's inputs are collected there."""
        openings = file.functions["fill"].openings
        if self._shape.owner == "kwarg":
            if "new_inputs" not in file.functions["fill"].bound:
                where = f"dlinfer/{file.path}:{file.functions['fill'].line}"
                raise ScaffoldError("the fill collects no `new_inputs`", where=where, next="add the argument by hand")
            return ""
        return _NEW_INPUTS if any(o.startswith(_NEW_INPUTS) for o in openings) else ""

    def _sets_moe(self, vendor: str) -> bool:
        step = self._sight.step(vendor)
        return step is not None and (step.moe is not None or "moe_metadata" in step.sets)

    def _flags(self, file: GraphFile) -> list[dict[str, str]]:
        """The keywords that a runner of the file's own must pass, so that `graph_meta` knows the condition."""
        found = []
        for flag, text in _FLAGS.items():
            for at, call in enumerate(file.meta_calls):
                if f"graph_meta.{flag}" in self._shape.when and flag not in call.keywords:
                    index = sum(c.scope == call.scope for c in file.meta_calls[:at])
                    config = "self.model_config"
                    found.append(
                        {"flag": flag, "scope": call.scope, "index": str(index), "text": text.format(config=config)}
                    )
        return found

    def _binds_moe(self, file: GraphFile) -> bool:
        """True if upstream's fill has a local for the MoE metadata."""
        return "moe_metadata" in file.functions["fill"].bound and not self._ours(file.path, "moe_metadata = ")

    def _ours(self, path: str, start: str) -> bool:
        """True if an insertion of an earlier run starts with this: it goes when that run is undone."""
        entries = self._scene.ledger.pages["dlinfer"].entries.values()
        return any(e.path == path and (e.insertion or {}).get("text", "").startswith(start) for e in entries)

    def _refuse_other(self, vendor: str) -> None:
        before = self._previous[vendor]["buffer"]
        for key, value in self._what().items():
            if before[key] != value:
                raise ScaffoldError(
                    f"{self._name} is applied on {vendor} with another {key}: `{_plain(before[key])}`",
                    next=f"run `scaffold undo {KIND}-{self._name}-{vendor}` first",
                )


def refuse_python(name: str, shape: Shape, sight: GraphSight) -> None:
    """Refuse a field that is a Python value.

    Raises:
        ScaffoldError: with the line that declares it.
    """
    field = sight.owner_field(shape.owner)
    if field and field.is_python:
        repo = "dlinfer" if shape.owner == "moe_metadata" else "lmdeploy"
        raise ScaffoldError(
            f"`{field.cls}.{name}` is a Python {field.annotation}: a captured graph keeps the value it had at capture",
            where=f"{repo}/{field.path}:{field.line}",
            next="set it to a constant that kernels take as unknown, as camb does with max_kv_seq_len = -1, or add a "
            "field that is a Tensor",
        )


def _plain(value: Any) -> str:
    return ", ".join(row[0] for row in value) if isinstance(value, list) else str(value)
