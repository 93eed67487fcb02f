"""Names that are taken by something else: refused before anything is planned."""

from __future__ import annotations

from generator.errors import ScaffoldError
from generator.spec.vendor import VENDORS
from generator.survey.bindings import module_names

from .op_request import OpRequest
from .op_sight import OpSight

_BACKENDS = "lmdeploy/pytorch/backends"


def refuse_taken(request: OpRequest, sight: OpSight) -> None:
    """Refuse an OpType, a module or a helper module that is something else.

    Raises:
        ScaffoldError: it is taken; says by what.
    """
    if 1 in request.layers:
        _refuse_op_type(sight)
    for folder in ("", "dlinfer/", "default/"):
        if request.module:
            _refuse_module(f"{_BACKENDS}/{folder}{request.module}.py", sight)
    for vendor in request.vendors if request.helper_module else ():
        record = VENDORS[vendor]
        if f"{record.folder}/{request.helper_module}.py" == record.ops_file:
            raise ScaffoldError(
                f"the module `{request.helper_module}` holds the ops of {record.title} themselves",
                where=f"dlinfer/{record.ops_file}",
                next="choose another --helper-module, or leave it out",
            )


def _refuse_op_type(sight: OpSight) -> None:
    """An OpType that dlinfer serves already, by an Impl that never reaches the op, belongs to something else."""
    found = sight.type_picture
    side = found.backends.get("dlinfer") if found else None
    if not side or sight.picture.impls:
        return
    raise ScaffoldError(
        f"OpType.{found.name} is served by {side.branch.builder}, which does not call {sight.name}",
        where=f"lmdeploy/{_BACKENDS}/dlinfer/op_backend.py:{side.branch.line}",
        next="give another --op-type, or leave layer 1 out with --layers 2,3,4",
    )


def _refuse_module(path: str, sight: OpSight) -> None:
    """A module that holds neither an Impl nor a Builder is no place for one."""
    names = module_names(sight.workspace["lmdeploy"], path)
    if names and not any(name.endswith(("Impl", "Builder")) for name in names):
        raise ScaffoldError(
            "the module holds something else than Impl and Builder classes",
            where=f"lmdeploy/{path}",
            next="choose another --module",
        )
