"""Another declaration of an op that is applied: new answers for all its ids, from which all layers are merged."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from generator.errors import ScaffoldError
from generator.plan.plan import Plan
from generator.plan.step import Note
from generator.render.template import Template
from generator.scaffolds.op_existing import existing_impl
from generator.scaffolds.op_request import OpRequest
from generator.scaffolds.op_sight import OpSight
from generator.scaffolds.op_signature import spec_of
from generator.scaffolds.previous import read_answers
from generator.scaffolds.scene import Scene
from generator.spec.families import family_of
from generator.spec.op import OpSpec
from generator.spec.param import Param
from generator.spec.types import parse_returns

from .jobs import ids_of, jobs_of
from .update import Job

Answers = Mapping[str, Any]


@dataclass(frozen=True)
class Wanted:
    """What of a declaration is to change; None stays as it is.

    Attributes:
        params: all parameters as typed, in order.
        returns: a return annotation.
        shape_from: parameter names.
        native: the native call of layer 4.
    """

    params: Sequence[str] | None = None
    returns: str | None = None
    shape_from: Sequence[str] | None = None
    native: str | None = None


@dataclass(frozen=True)
class Respec:
    """An op before and after.

    Attributes:
        old, new: its declarations.
        renamed: old parameter name to new one, where one stands in the other's place.
    """

    old: OpSpec
    new: OpSpec
    renamed: Mapping[str, str]

    @property
    def gone(self) -> set[str]:
        """The names that are no parameters any more."""
        return {p.name for p in self.old.params} - {p.name for p in self.new.params}


def respecify(
    scene: Scene, target: str | None, source: Callable[[Answers], Template], wanted: Wanted
) -> tuple[list[Job], Respec]:
    """Return the jobs that bring all ids of an op to another declaration.

    Raises:
        ScaffoldError, SpecError: no single op is meant, upstream has layers whose signature is not ours to change, or
            the body of layer 4 does not fit the new declaration.
    """
    ids, answers = _op_of(scene, target)
    sight = OpSight(scene.workspace, answers["name"], answers["op_type"])
    _refuse_foreign_layers(scene, ids, sight, answers)
    respec = _respec(answers, wanted)

    def change(repo: str, before: Answers) -> Answers:
        return _answers(before, respec, wanted, sight)

    return jobs_of(scene, ids, source, change), respec


def note_stale(plan: Plan, respec: Respec) -> Plan:
    """Return the plan with a warning for every edited text that still says the name of a parameter that is gone."""
    notes = []
    for step in plan.steps:
        if step.kind != "update" or not step.note or step.insertion is None:
            continue
        found = step.insertion.find(plan.tree.source(step.repo, step.path))
        said = sorted(name for name in respec.gone if found and re.search(rf"\b{name}\b", found.text))
        if said:
            text = f"{step.name} still says `{said[0]}`, which is no parameter of {respec.new.name} any more"
            notes.append(Note("warning", text, f"{step.repo}/{step.path}:{step.line}", "correct it"))
    return replace(plan, notes=(*plan.notes, *notes), spec=str(respec.new))


def _op_of(scene: Scene, target: str | None) -> tuple[list[str], Answers]:
    if target is None:
        raise ScaffoldError("another declaration is of one op", next="name it: scaffold update NAME --param …")
    known = scene.ledger.ids()
    asked = ids_of(scene.ledger, target)
    names = {known[id].name for id in asked if known[id].kind == "op" and target in (id, known[id].name)}
    if len(names) != 1:
        raise ScaffoldError(f"{target} is no op", next="name an op of `scaffold status`")
    (name,) = names
    ids = [id for id, applied in known.items() if (applied.kind, applied.name) == ("op", name)]
    for repo, page in scene.ledger.pages.items():
        for id in ids:
            answers = read_answers(scene.tree, repo, id) if id in page.ids else None
            if answers is not None:
                return ids, answers
    raise ScaffoldError(f"the answers of {name} are gone", next="undo it and apply it again")


def _refuse_foreign_layers(scene: Scene, ids: Sequence[str], sight: OpSight, answers: Answers) -> None:
    owned = set()
    for repo, page in scene.ledger.pages.items():
        for id in ids:
            found = read_answers(scene.tree, repo, id) if id in page.ids else None
            owned |= set(found["layers"]) if found else set()
    for layer in {2, 3} - owned:
        for place in sight.places(layer, answers["vendor"]):
            raise ScaffoldError(
                f"layer {layer} of {answers['name']} is upstream's, so its signature is not ours to change",
                where=f"{place.repo}/{place.path}:{place.line}",
            )


def _respec(answers: Answers, wanted: Wanted) -> Respec:
    name = answers["name"]
    old = _spec(name, answers["params"], answers["returns"], answers["shape_from"])
    params = wanted.params if wanted.params is not None else answers["params"]
    returns = wanted.returns or answers["returns"]
    OpRequest(name, (answers["vendor"],), tuple(params), returns)
    parsed = tuple(Param.parse(p) for p in params)
    renamed = _renamed(old.params, parsed)
    shape = wanted.shape_from
    if shape is None:
        shape = [renamed.get(source, source) for source in answers["shape_from"]]
        tensors = {p.name for p in parsed if p.type.is_tensor}
        if not set(shape) <= tensors or len(shape) != len(parse_returns(returns)):
            shape = spec_of(name, parsed, parse_returns(returns)).shape_from
    return Respec(old, _spec(name, params, returns, shape), renamed)


def _spec(name: str, params: Sequence[str], returns: str, shape: Sequence[str]) -> OpSpec:
    return OpSpec(name, tuple(Param.parse(p) for p in params), parse_returns(returns), tuple(shape))


def _renamed(old: Sequence[Param], new: Sequence[Param]) -> dict[str, str]:
    """A parameter that is gone, to a new one in its place of the same type."""
    names = {p.name for p in new}
    before = {p.name for p in old}
    pairs = zip(old, new, strict=False)
    return {a.name: b.name for a, b in pairs if a.name not in names and b.name not in before and a.type == b.type}


def _answers(before: Answers, respec: Respec, wanted: Wanted, sight: OpSight) -> Answers:
    spec = respec.new
    body = _body(before, respec, wanted)
    abstract = existing_impl(sight, spec) if before["abstract"] else before["abstract"]
    return {
        **before,
        "params": [str(p) for p in spec.params],
        "returns": spec.returns_text,
        "shape_from": list(spec.shape_from),
        "abstract": abstract,
        **body,
    }


def _body(before: Answers, respec: Respec, wanted: Wanted) -> dict[str, Any]:
    """Layer 4 for the new declaration.

    Raises:
        ScaffoldError: its body says a parameter that is gone, or no formula is known for the new ones.
    """
    if wanted.native:
        return {"body": "native", "native": wanted.native, "compose": []}
    if before["body"] == "torch" and family_of(respec.new.name).bind(respec.new.params) is None:
        raise ScaffoldError(f"no formula in plain torch is known for {respec.new}", next="give the body with --native")
    lines = [_rename(line, respec.renamed) for line in [before["native"], *before["compose"]]]
    lost = sorted(respec.gone - set(respec.renamed))
    for name in lost:
        if any(re.search(rf"\b{name}\b", line) for line in lines):
            what = f"layer 4 of {respec.new.name} uses `{name}`, which is no parameter any more"
            raise ScaffoldError(what, where=lines[0] or None, next="give the body with --native")
    return {"native": lines[0], "compose": lines[1:]}


def _rename(text: str, renamed: Mapping[str, str]) -> str:
    for old, new in renamed.items():
        # A keyword keeps its name: `eps=epsilon` is the native op's own word.
        text = re.sub(rf"\b{old}\b(?!\s*=[^=])", new, text)
    return text
