"""The answers that an op is rendered from: the declaration, and what was found in the checkouts."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from generator.errors import ScaffoldError
from generator.spec.families import family_of
from generator.spec.names import plain
from generator.spec.vendor import VENDORS
from generator.workspace.profile import probe_dlinfer, probe_lmdeploy

from .op_body import Body, body_of
from .op_existing import existing_impl
from .op_group import member_before
from .op_request import OpRequest
from .op_sight import OpSight, Place
from .op_signature import Declared
from .previous import previous_answers
from .scene import Scene

_BACKENDS = "lmdeploy/pytorch/backends"
# What all vendors of an op share: taken from the answers of the vendor that came first.
_SHARED = ("params vendor_params returns shape_from op_type module nn_module abstract appends_to profile").split()


class OpAnswers:
    """Answers for one op, per vendor and checkout."""

    def __init__(self, request: OpRequest, declared: Declared, sight: OpSight, scene: Scene):
        self._request, self._declared, self._sight, self._scene = request, declared, sight, scene

    def of(self, vendor: str, repo: str) -> dict[str, Any]:
        """All answers of `copier.yml` for one vendor and one checkout.

        What was answered before for this id is answered again; what was answered for another vendor of this op is
        taken over as far as it is shared.

        Raises:
            ScaffoldError: the native call cannot be bound, or the body cannot be composed.
        """
        before = self._previous[repo]
        if vendor in before:
            self._refuse_change(before[vendor])
            layers = sorted({*before[vendor]["layers"], *self.layers(vendor)})
            return {**before[vendor], "layers": layers}
        fresh = self._fresh(vendor, repo)
        shared = next(iter(before.values()), None)
        return fresh if shared is None else {**fresh, **self._taken_over(shared, fresh)}

    def layers(self, vendor: str) -> tuple[int, ...]:
        """The layers that this vendor's id needs: missing ones, and those that an earlier id of the op added."""
        owned = self._owned(vendor)
        return tuple(n for n in self._request.layers if n in owned or not self._sight.places(n, vendor))

    def body(self, vendor: str) -> Body | None:
        """What layer 4 does, or None where this run does not write it."""
        if vendor in self._previous["dlinfer"] or 4 not in self.layers(vendor):
            return None
        return body_of(self._request, self._declared, vendor, self._sight)

    @property
    def already_there(self) -> list[Place]:
        """The places of the layers that upstream has, each once."""
        found = [
            place
            for vendor in self._request.vendors
            for layer in self._request.layers
            if layer not in self.layers(vendor)
            for place in self._sight.places(layer, vendor)
        ]
        return list(dict.fromkeys(found))

    @property
    def applied_before(self) -> dict[str, dict[str, Any]]:
        """The vendors that have this op from an earlier run, with what layer 4 was given then."""
        return self._previous["dlinfer"]

    def _fresh(self, vendor: str, repo: str) -> dict[str, Any]:
        spec, declared = self._declared.spec, self._declared
        body = self.body(vendor) or Body("stub")
        return {
            **self._scene.template.answers,
            "kind": "op",
            "repo": repo,
            "name": spec.name,
            "vendor": vendor,
            "params": [str(p) for p in spec.params],
            "vendor_params": [str(p) for p in declared.vendor_params],
            "returns": spec.returns_text,
            "shape_from": list(spec.shape_from),
            "op_type": self._sight.op_type,
            "module": self._module,
            "nn_module": self._nn_module,
            "layers": list(self.layers(vendor)),
            "body": body.kind,
            "native": body.native,
            "compose": list(body.lines),
            "helper_module": self._request.helper_module or "",
            "abstract": existing_impl(self._sight, spec),
            "appends_to": self._appends_to(vendor),
            "profile": self._profile(repo),
        }

    def _taken_over(self, shared: dict[str, Any], fresh: dict[str, Any]) -> dict[str, Any]:
        taken = {key: shared[key] for key in _SHARED if key in shared}
        parts = [p for p in taken["appends_to"] if p != "helper"] + [p for p in fresh["appends_to"] if p == "helper"]
        return {**taken, "appends_to": parts}

    def _refuse_change(self, before: dict[str, Any]) -> None:
        """Refuse to answer anew what was answered when the op was applied: the text that is there would not follow."""
        request, vendor = self._request, before["vendor"]
        given = {key: getattr(request, key) for key in ("op_type", "module", "helper_module")}
        if request.native or request.document or request.body:
            body = body_of(request, self._declared, vendor, self._sight)
            given |= {"body": body.kind, "native": body.native, "compose": list(body.lines)}
        for key, value in given.items():
            if value is not None and plain(str(value)) != plain(str(before[key])):
                raise ScaffoldError(
                    f"{request.name} is applied on {vendor} with another {key.replace('_', ' ')}: `{before[key]}`",
                    next=f"run `scaffold undo op-{request.name}-{vendor}` first",
                )

    @cached_property
    def _previous(self) -> dict[str, dict[str, dict[str, Any]]]:
        repos = ("lmdeploy", "dlinfer")
        return {repo: previous_answers(self._scene, "op", self._request.name, repo) for repo in repos}

    def _owned(self, vendor: str) -> set[int]:
        answers = [(v, a) for repo in self._previous.values() for v, a in repo.items()]
        return {n for v, a in answers for n in a["layers"] if n != 4 or v == vendor}

    @cached_property
    def _module(self) -> str:
        """The stem of the modules of Impl and Builder: as asked, the abstract Impl's, the family's, or the op's."""
        if self._request.module:
            return self._request.module
        found = self._sight.type_picture
        if found and found.abstract_impl:
            return found.abstract_impl.path.rpartition("/")[2].removesuffix(".py")
        stem = family_of(self._request.name).module
        return stem if stem and self._is_there(f"{_BACKENDS}/{stem}.py") else self._request.name

    @cached_property
    def _nn_module(self) -> str:
        """The stem of the `nn` module; the op's name where the family's is a package."""
        is_package = self._is_there(f"lmdeploy/pytorch/nn/{self._module}/__init__.py")
        return self._request.name if is_package else self._module

    def _appends_to(self, vendor: str) -> list[str]:
        places = {
            "abstract": f"{_BACKENDS}/{self._module}.py",
            "default": f"{_BACKENDS}/default/{self._module}.py",
            "dlinfer": f"{_BACKENDS}/dlinfer/{self._module}.py",
            "nn": f"lmdeploy/pytorch/nn/{self._nn_module}.py",
        }
        parts = [part for part, path in places.items() if self._is_there(path)]
        helper = self._request.helper_module
        if helper and self._scene.tree.exists("dlinfer", f"{VENDORS[vendor].folder}/{helper}.py"):
            parts.append("helper")
        return parts

    def _is_there(self, path: str) -> bool:
        return self._scene.tree.exists("lmdeploy", path)

    def _profile(self, repo: str) -> dict[str, Any]:
        if repo == "dlinfer":
            return self._dlinfer
        return {**self._lmdeploy, "after_op_type": member_before(self._request.name, self._sight.op_types)}

    @cached_property
    def _dlinfer(self) -> dict[str, Any]:
        profile = probe_dlinfer(self._scene.workspace["dlinfer"])
        return {"decorator": profile.decorator, "custom_op": profile.custom_op_module}

    @cached_property
    def _lmdeploy(self) -> dict[str, Any]:
        profile = probe_lmdeploy(self._scene.workspace["lmdeploy"])
        return {"columns": profile.columns, "annotations": profile.annotations, "docstring": profile.docstrings}
