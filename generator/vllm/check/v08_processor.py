"""V08: a multimodal class has its processor, and a text model has none."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from generator.survey.vllm_model import find_class, lineage
from generator.survey.vllm_tree import function, texts

from .rule import Case, Finding, ModelRule, Subject, register

_REGISTRY = "vllm:vllm/model_executor/models/registry.py"
_MODEL = "vllm:vllm/model_executor/models/my.py"
_ENTRY = {_REGISTRY: '_MULTIMODAL_MODELS = {\n    "MyForCausalLM": ("my", "MyForCausalLM"),\n}\n'}
_GOOD = """class Info(BaseProcessingInfo):
    def get_supported_mm_limits(self): ...


class Dummy(BaseDummyInputsBuilder):
    def get_dummy_text(self): ...

    def get_dummy_mm_data(self): ...


class Proc(BaseMultiModalProcessor):
    def _get_mm_fields_config(self): ...

    def _get_prompt_updates(self): ...


@MULTIMODAL_REGISTRY.register_processor(Proc, info=Info, dummy_inputs=Dummy)
class MyForCausalLM(SupportsMultiModal):
    def get_placeholder_str(self): ...
"""
TOKEN = re.compile(r"<[^<>\s]{1,60}>")
ABSTRACT = {
    "processor": ("_get_mm_fields_config", "_get_prompt_updates"),
    "info": ("get_supported_mm_limits",),
    "dummy_inputs": ("get_dummy_text", "get_dummy_mm_data"),
}
ROOTS = {"BaseProcessingInfo", "BaseDummyInputsBuilder", "BaseMultiModalProcessor", "EncDecMultiModalProcessor"}


@register
class Processor(ModelRule):
    """Without `register_processor` the first image fails; an abstract method that is missing fails there too. Bases
    that are not among the model files are trusted to have them.
    """

    id = "V08"
    title = "a multimodal class has its processor"
    wants = ("class",)
    VALID = (Case("complete", {**_ENTRY, _MODEL: _GOOD}),)
    INVALID = (
        Case(
            "no processor",
            {**_ENTRY, _MODEL: "class MyForCausalLM(SupportsMultiModal):\n    def get_placeholder_str(self): ...\n"},
            ("error vllm/vllm/model_executor/models/my.py:1",),
            ("register_processor",),
        ),
        Case(
            "an abstract method",
            {**_ENTRY, _MODEL: _GOOD.replace("    def get_dummy_text(self): ...\n\n", "")},
            ("error vllm/vllm/model_executor/models/my.py:5",),
            ("get_dummy_text",),
        ),
        Case(
            "no placeholder",
            {**_ENTRY, _MODEL: _GOOD.replace("get_placeholder_str", "other")},
            ("warning vllm/vllm/model_executor/models/my.py:18",),
            ("get_placeholder_str",),
        ),
    )

    def find(self, subject: Subject) -> Iterator[Finding]:
        if subject.drafts:
            return
        repo, file, cls = subject.model
        bases = {base for _, c in subject.family for base in c.bases}
        call = self._decorator(subject, repo)
        if "SupportsMultiModal" in bases and call is None:
            yield self.at(
                repo,
                file.path,
                cls.line,
                cls.name,
                "is multimodal and has no register_processor",
                "decorate it with @MULTIMODAL_REGISTRY.register_processor(…)",
            )
        if "SupportsMultiModal" not in bases and call is not None:
            yield self.at(
                repo,
                file.path,
                cls.line,
                cls.name,
                "registers a processor and is not SupportsMultiModal",
                "inherit SupportsMultiModal",
            )
        if "SupportsMultiModal" in bases and not any("get_placeholder_str" in c.methods for _, c in subject.family):
            yield self.at(
                repo,
                file.path,
                cls.line,
                cls.name,
                "has no get_placeholder_str: chats cannot mark an image",
                "write it",
                severity="warning",
            )
        yield from self._abstract(subject, repo, file.path, call) if call else ()
        yield from self._placeholder(subject, repo) if subject.analysis else ()

    def _placeholder(self, subject: Subject, repo: str) -> Iterator[Finding]:
        tokens = subject.analysis.checkpoint.extra.get("tokenizer_config.json", {}).get("added_tokens_decoder")
        listed = tokens.values() if isinstance(tokens, dict) else ()
        known = {token.get("content") for token in listed if isinstance(token, dict)}
        for file, cls in subject.family:
            method = function(subject.tree(repo).parse(file.path), "get_placeholder_str")
            asked = [token for text in texts(method) for token in TOKEN.findall(text)]
            if known and asked and known.isdisjoint(asked):
                yield self.at(
                    repo,
                    file.path,
                    cls.methods.get("get_placeholder_str", cls.line),
                    asked[0],
                    "is no added token of the checkpoint's tokenizer",
                    "use the tokenizer's own placeholder",
                )
                return

    def _decorator(self, subject: Subject, repo: str) -> ast.Call | None:
        for file, cls in subject.family:
            tree = subject.tree(repo).parse(file.path)
            nodes = [n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == cls.name] if tree else []
            for node in nodes:
                for call in node.decorator_list:
                    if isinstance(call, ast.Call) and getattr(call.func, "attr", None) == "register_processor":
                        return call
        return None

    def _abstract(self, subject: Subject, repo: str, path: str, call: ast.Call) -> Iterator[Finding]:
        given = {"processor": call.args[0] if call.args else None, **{k.arg: k.value for k in call.keywords}}
        for role, wants in ABSTRACT.items():
            name = getattr(given.get(role), "id", None)
            found = find_class(subject.tree(repo), path, name) if name else None
            family = lineage(subject.tree(repo), *found) if found else []
            own = {cls.name for _, cls in family}
            if not family or {b for _, cls in family for b in cls.bases} - own - ROOTS:
                continue
            missing = [want for want in wants if not any(want in cls.methods for _, cls in family)]
            if missing:
                yield self.at(
                    repo, found[0].path, found[1].line, name, f"has no {', '.join(missing)}", "write it: it is abstract"
                )
