"""What layer 4 of an op does: a native call, a composition, plain torch, or a stub that says what is missing."""

from __future__ import annotations

from dataclasses import dataclass

from generator.errors import ScaffoldError
from generator.native.call import bind_call, bind_document, call_root, free_names
from generator.spec.families import family_of
from generator.spec.op import OpSpec
from generator.spec.vendor import VENDORS
from generator.survey.bindings import module_names

from .op_compose import compose
from .op_request import OpRequest
from .op_sight import OpSight
from .op_signature import Declared


@dataclass(frozen=True)
class Body:
    """A body.

    Attributes:
        kind: `native`, `compose`, `torch` or `stub`.
        native: the expression, for `native`.
        lines: the statements, for `compose`.
        refused: why what was asked for does not apply, so that it is a stub; or "".
    """

    kind: str
    native: str = ""
    lines: tuple[str, ...] = ()
    refused: str = ""


def body_of(request: OpRequest, declared: Declared, vendor: str, sight: OpSight) -> Body:
    """Choose the body: what was asked for if it applies, else a stub.

    Raises:
        ScaffoldError: a native call that was given cannot be bound.
    """
    spec = vendor_spec(declared)
    record = VENDORS[vendor]
    if request.native:
        return Body("native", _checked(bind_call(request.native, spec, record), spec, vendor, sight))
    if request.document:
        text, where = request.document
        return Body("native", _checked(bind_document(text, where, spec, record), spec, vendor, sight))
    try:
        if request.body == "compose":
            return Body("compose", lines=tuple(compose(spec, sight.vendor_ops(vendor), f"dlinfer/{record.ops_file}")))
        if request.body == "torch":
            _require_reference(spec)
            return Body("torch")
    except ScaffoldError as error:
        return Body("stub", refused=error.what)
    return Body("stub")


def vendor_spec(declared: Declared) -> OpSpec:
    """The declaration as layer 4 sees it."""
    spec = declared.spec
    if not declared.vendor_params:
        return spec
    return OpSpec(spec.name, declared.vendor_params, spec.returns)


def _require_reference(spec: OpSpec) -> None:
    family = family_of(spec.name)
    if not family.reference or family.bind(spec.params) is None:
        raise ScaffoldError(f"no formula in plain torch is known for {spec}")


def _checked(expression: str, spec: OpSpec, vendor: str, sight: OpSight) -> str:
    """Refuse a call of a name that the vendor's file does not know, and a value that is no parameter."""
    path = VENDORS[vendor].ops_file
    known = module_names(sight.workspace["dlinfer"], path) | {"torch"}
    root = call_root(expression)
    if root not in known:
        raise ScaffoldError(
            f"`{root}` is not imported in {path}",
            where=f"dlinfer/{path}:1",
            next=f"its native calls start with {', '.join(VENDORS[vendor].native_roots)}; import it there first",
        )
    params = {p.name for p in spec.params}
    strange = sorted(free_names(expression) - params - known)
    if strange:
        raise ScaffoldError(
            f"`{strange[0]}` in the native call is no parameter of {spec.name}",
            next=f"the parameters are {', '.join(sorted(params))}",
        )
    return expression
