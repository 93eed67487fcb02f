"""An op as the templates see it: everything is derived from the answers, nothing is looked up in a checkout."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from generator.spec.families import Family, family_of
from generator.spec.names import ACRONYMS, words
from generator.spec.op import OpSpec
from generator.spec.param import Param
from generator.spec.types import ALIASES, PLAIN_TYPES, ParamType, parse_returns
from generator.spec.vendor import VENDORS, Vendor

from .docs import param_doc, returns_doc
from .impl import ImplView
from .imports import Needed, needed_imports
from .lmdeploy_types import Annotations


class OpView:
    """What `{% set op = view() %}` gives in a template of kind `op`.

    Args:
        answers: the answers of `copier.yml`.
    """

    def __init__(self, answers: Mapping[str, Any]):
        self.answers = answers
        self.name: str = answers["name"]
        self.op_type: str = answers["op_type"]
        self.profile: Mapping[str, Any] = answers["profile"]
        self.family: Family = family_of(self.name)

    @cached_property
    def spec(self) -> OpSpec:
        """The declaration; the answers were checked when they were given, so types are taken as they are."""
        params = tuple(_param(text) for text in self.answers["params"])
        return OpSpec(self.name, params, parse_returns(self.answers["returns"]), tuple(self.answers["shape_from"]))

    @property
    def title(self) -> str:
        """The name in words: `RMS norm gated`."""
        return " ".join(ACRONYMS.get(w, w) for w in words(self.name))

    @property
    def title_first(self) -> str:
        """The title with a capital first letter."""
        return self.title[:1].upper() + self.title[1:]

    @cached_property
    def vendor(self) -> Vendor:
        """The record of the vendor that layer 4 is written for."""
        return VENDORS[self.answers["vendor"]]

    @cached_property
    def vendor_params(self) -> list[Param]:
        """The parameters of layer 4: those of layer 3, or what an existing layer 3 passes on."""
        return [_param(text) for text in self.answers["vendor_params"]] or list(self.spec.params)

    # Layer 3 and 4: dlinfer's spelling.

    @property
    def summary(self) -> str:
        """One sentence on what the op computes."""
        return self.family.summary

    @property
    def signature(self) -> str:
        """Parameters of layer 3: names and types, the defaults stand in the decorator."""
        plain = not self.is_custom_op
        return _joined([str(p) if plain else f"{p.name}: {p.type}" for p in self.spec.params])

    @property
    def vendor_signature(self) -> str:
        """Parameters of layer 4; a default only where layer 3 does not always pass the parameter on."""
        partly = bool(self.answers["vendor_params"])
        return _joined([str(p) if partly else f"{p.name}: {p.type}" for p in self.vendor_params])

    @property
    def vendor_args(self) -> str:
        """The parameters of layer 4 as positional arguments."""
        return ", ".join(p.name for p in self.vendor_params)

    @property
    def returns(self) -> str:
        """The return annotation of layers 3 and 4."""
        return self.spec.returns_text

    @property
    def args(self) -> str:
        """The parameters as positional arguments."""
        return ", ".join(p.name for p in self.spec.params)

    @property
    def names(self) -> list[str]:
        """The names of the parameters, in order."""
        return [p.name for p in self.spec.params]

    @property
    def is_custom_op(self) -> bool:
        """True if layer 3 is decorated: every parameter has a schema type."""
        return self.spec.is_schema

    @property
    def needs_abstract(self) -> bool:
        """True if the result's shape is no parameter's, so that the decorator needs a function."""
        return self.is_custom_op and not self.spec.shape_from

    @property
    def abstract_lines(self) -> list[str]:
        """The body of the abstract function; a visible stub where the family does not know the shape."""
        bound = self.family.bind(self.spec.params)
        if bound and self.family.abstract:
            return [line.format(**bound) for line in self.family.abstract]
        if not self.spec.returns:
            return ["return None"]
        return [f'raise NotImplementedError("the shape of the result of {self.name} is not stated")']

    @property
    def shape_keys(self) -> str:
        """The list of shape keys, as Python source."""
        return "[" + ", ".join(f'"{k}"' for k in self.spec.shape_from) + "]"

    @property
    def defaults(self) -> str:
        """The `default_value` dictionary as Python source, or an empty string."""
        items = ", ".join(f'"{n}": {v}' for n, v in self.spec.defaults.items())
        return "{" + items + "}" if items else ""

    @property
    def param_docs(self) -> list[str]:
        """One line for each parameter of the docstring's Args."""
        return [f"{p.name} ({p.type}): {param_doc(p, self.spec, self.family)}" for p in self.spec.params]

    @property
    def returns_docs(self) -> list[str]:
        """The lines of the docstring's Returns."""
        return returns_doc(self.spec)

    @property
    def annotation_imports(self) -> list[str]:
        """Names that the signature needs from dlinfer/utils/type_annotation.py."""
        texts = [*(p.type.text for p in [*self.spec.params, *self.vendor_params]), self.returns]
        used = {n for text in texts for n in re.findall(r"(?<![\w.])[A-Za-z_]\w*", text)}
        return sorted(used & _ANNOTATIONS)

    def imports(self, layer: int) -> list[Needed]:
        """The imports that the insertions of a layer need."""
        return list(needed_imports(self, layer))

    @property
    def uses_torch(self) -> bool:
        """True if the text of layer 3 says `torch.`."""
        lines = self.abstract_lines if self.needs_abstract else []
        return any("torch." in t for t in [self.signature, self.returns, *lines])

    # Layers 0 to 2: lmdeploy's spelling.

    @cached_property
    def annotations(self) -> Annotations:
        """How this checkout of lmdeploy spells types."""
        return Annotations(self.profile.get("annotations", "pipe"))

    @property
    def columns(self) -> int:
        """The longest line of lmdeploy's files."""
        return self.profile.get("columns", 120)

    def say(self, text: str) -> str:
        """A docstring's first word in the case of this checkout's era."""
        return text[:1].upper() + text[1:] if self.profile.get("docstring", "capital") == "capital" else _lower(text)

    @property
    def wrapper_params(self) -> list[str]:
        """The parameters of the kernel wrapper, as lmdeploy writes them."""
        return [self.annotations.param(p, tensor="Tensor") for p in self.spec.params]

    @property
    def wrapper_uses_torch(self) -> bool:
        """True if a type of the wrapper is spelled with `torch.`."""
        return any("torch." in p for p in self.wrapper_params)

    @cached_property
    def impl(self) -> ImplView:
        """Impl, Builder and `nn` module of the op's OpType."""
        return ImplView(self)

    # Bodies of layer 4.

    @property
    def as_written(self) -> dict[str, str]:
        """For the reference formula inside layer 4: what each parameter of the family is called there."""
        return self.family.bind(self.vendor_params) or {}

    @property
    def body_uses_torch(self) -> bool:
        """True if the signature or the body of layer 4 says `torch.`."""
        body = self.answers["body"]
        texts = [self.vendor_signature, self.returns]
        texts += [self.answers["native"]] if body == "native" else self.answers["compose"] if body == "compose" else []
        return body == "torch" or any("torch." in t for t in texts)

    @property
    def appends_helper(self) -> bool:
        """True if the helper goes to a module that the vendor has already."""
        return 4 in self.answers["layers"] and bool(self._helper) and "helper" in self.answers["appends_to"]

    @property
    def creates_helper(self) -> bool:
        """True if the helper gets a new module."""
        return 4 in self.answers["layers"] and bool(self._helper) and "helper" not in self.answers["appends_to"]

    @property
    def _helper(self) -> str:
        return self.answers["helper_module"]

    @property
    def has_reference(self) -> bool:
        """True if the formula in plain torch is known and speaks of all the op's parameters."""
        return self.family.reference and self.family.bind(self.spec.params) is not None

    @property
    def in_impl(self) -> dict[str, str]:
        """For the reference formula inside an Impl: what each parameter of the family is called there."""
        bound = self.family.bind(self.spec.params) or {}
        return {family: self.impl.ref.get(own, own) for family, own in bound.items()}

    @property
    def reference(self) -> str:
        """The partial that holds the formula."""
        return f"templates/shared/op/reference/{self.family.name}.jinja"

    @property
    def activation(self) -> str:
        """The activation that the name speaks of, as a function of torch.nn.functional."""
        known = {"swiglu": "silu", "swish": "silu", "geglu": "gelu"}
        for word in words(self.name):
            if word in ("silu", "gelu", "relu", "sigmoid", "tanh", *known):
                return known.get(word, word)
        return "silu"


_ANNOTATIONS = {"Tensor", "Optional", "Sequence", "Tuple", *PLAIN_TYPES, *ALIASES}


def _joined(texts: list[str]) -> str:
    """A parameter list; the trailing comma makes black write several one a line."""
    return ", ".join(texts) + ("," if len(texts) > 3 else "")


def _param(text: str) -> Param:
    name, _, rest = text.partition(": ")
    type_, _, default = rest.partition(" = ")
    return Param(name, ParamType(type_), default or None)


def _lower(text: str) -> str:
    first, _, rest = text.partition(" ")
    word = first if first.isupper() and len(first) > 1 else first.lower()
    return f"{word} {rest}" if rest else word
