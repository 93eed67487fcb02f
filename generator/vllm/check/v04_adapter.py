"""V04: the model class has what vLLM asks of it, and its imports exist in this checkout."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from generator.survey.vllm_model import resolve
from generator.survey.vllm_tree import SourceTree

from .rule import Case, Finding, ModelRule, Subject, register

_REGISTRY = "vllm:vllm/model_executor/models/registry.py"
_MODEL = "vllm:vllm/model_executor/models/my.py"
_ENTRY = {_REGISTRY: '_TEXT_GENERATION_MODELS = {\n    "MyForCausalLM": ("my", "MyForCausalLM"),\n}\n'}
_GOOD = """# SPDX-License-Identifier: Apache-2.0
class MyForCausalLM:
    def __init__(self, *, vllm_config, prefix=""):
        self.model = Linear(prefix=prefix)

    def embed_input_ids(self, input_ids):
        return input_ids

    def forward(self, input_ids, positions, intermediate_tensors=None, inputs_embeds=None):
        return input_ids

    def compute_logits(self, hidden_states):
        return hidden_states

    def load_weights(self, weights):
        return set()
"""
LAYERS = {
    "QKVParallelLinear",
    "RowParallelLinear",
    "ColumnParallelLinear",
    "MergedColumnParallelLinear",
    "ReplicatedLinear",
    "ParallelLMHead",
    "FusedMoE",
    "Attention",
}
STAR = re.compile(rb"^from ([.\w]+) import \*", re.M)
EMBED = ("embed_input_ids", "get_input_embeddings")


@register
class Adapter(ModelRule):
    """vLLM finds out by calling: a missing `compute_logits` fails at the first token, a layer without `prefix` is never
    found in a quantisation's list of exclusions, an import that another release moved fails at start. `torch.cuda` does
    not exist on an NPU. What a base class outside of the model files may define is let pass.
    """

    id = "V04"
    title = "the model class has what vLLM asks of it"
    wants = ("class",)
    VALID = (Case("complete", {**_ENTRY, _MODEL: _GOOD}),)
    INVALID = (
        Case(
            "no compute_logits",
            {**_ENTRY, _MODEL: _GOOD.replace("compute_logits", "logits")},
            ("error vllm/vllm/model_executor/models/my.py:2",),
            ("compute_logits",),
        ),
        Case(
            "no prefix",
            {**_ENTRY, _MODEL: _GOOD.replace("Linear(prefix=prefix)", "RowParallelLinear(1, 1)")},
            ("warning vllm/vllm/model_executor/models/my.py:4",),
            ("prefix",),
        ),
        Case(
            "torch.cuda",
            {**_ENTRY, _MODEL: _GOOD + "\n\nx = torch.cuda.device_count()\n"},
            ("error vllm/vllm/model_executor/models/my.py:19",),
        ),
        Case(
            "an import that is not there",
            {**_ENTRY, _MODEL: _GOOD + "\n\nfrom vllm.nowhere import Thing\n"},
            ("error vllm/vllm/model_executor/models/my.py:19",),
            ("vllm.nowhere",),
        ),
        Case(
            "a wildcard",
            {**_ENTRY, _MODEL: _GOOD + "\n\nfrom torch import *\n"},
            ("error vllm/vllm/model_executor/models/my.py:19",),
        ),
        Case(
            "no licence line",
            {**_ENTRY, _MODEL: _GOOD.split("\n", 1)[1]},
            ("warning vllm/vllm/model_executor/models/my.py:1",),
            ("SPDX",),
        ),
    )

    def find(self, subject: Subject) -> Iterator[Finding]:
        repo, file, cls = subject.model
        tree = subject.tree(repo)
        yield from self._methods(subject, repo, file.path, cls)
        if repo == "vllm" and not (tree.read(file.path) or b"").startswith(b"# SPDX-License-Identifier"):
            yield self.at(
                repo,
                file.path,
                1,
                file.path,
                "has no SPDX licence line",
                "add the two lines that its siblings start with",
                severity="warning",
            )
        for node in ast.walk(tree.parse(file.path)):
            yield from self._node(node, repo, file.path, tree)

    def _methods(self, subject: Subject, repo: str, path: str, cls) -> Iterator[Finding]:
        methods = {name for _, c in subject.family for name in c.methods}
        local = {c.name for _, c in subject.family}
        foreign = {
            b
            for _, c in subject.family
            for b in c.bases
            if b not in local and not b.startswith(("Supports", "nn", "Module"))
        }
        if foreign - {"Module", "HasInnerState", "IsHybrid", "MixtureOfExperts", "IsAttentionFree"}:
            return
        if subject.drafts:
            return
        generative = subject.generates and "compute_logits" not in methods
        wants = [name for name in ("forward", "load_weights") if name not in methods]
        wants += ["compute_logits"] if generative else []
        wants += [] if methods & set(EMBED) else [EMBED[0]]
        if wants:
            yield self.at(
                repo, path, cls.line, cls.name, f"has no {', '.join(wants)}", "write it; see a sibling of the family"
            )

    def _node(self, node: ast.AST, repo: str, path: str, tree: SourceTree) -> Iterator[Finding]:
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and (node.value.id, node.attr) == ("torch", "cuda")
        ):
            yield self.at(
                repo, path, node.lineno, "torch.cuda", "does not exist on an NPU", "ask vllm.platforms instead"
            )
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in LAYERS:
            if not any(k.arg in ("prefix", None) for k in node.keywords):
                yield self.at(
                    repo,
                    path,
                    node.lineno,
                    node.func.id,
                    "is made without prefix=: exclusions of a quantisation never match it",
                    "pass prefix=",
                    severity="warning",
                )
        elif isinstance(node, ast.ImportFrom):
            yield from self._import(node, repo, path, tree)

    def _import(self, node: ast.ImportFrom, repo: str, path: str, tree: SourceTree) -> Iterator[Finding]:
        module = "." * node.level + (node.module or "")
        if any(alias.name == "*" for alias in node.names):
            yield self.at(repo, path, node.lineno, module, "is imported with a wildcard", "name what is used")
        if repo != "vllm" or not module.startswith((".", "vllm")):
            return
        base = resolve(tree, path, module)
        if base is None and not self._package(tree, path, module):
            yield self.at(
                repo, path, node.lineno, module, "is not in this checkout", "import it from where this release has it"
            )
            return
        for alias in node.names:
            if base and not self._defines(tree, base, alias.name) and alias.name != "*":
                yield self.at(
                    repo,
                    path,
                    node.lineno,
                    alias.name,
                    f"is not in {module} of this checkout",
                    "import it from where this release has it",
                )

    @staticmethod
    def _package(tree: SourceTree, path: str, module: str) -> bool:
        base = (
            "/".join(path.split("/")[: -(len(module) - len(module.lstrip("."))) or None])
            if module.startswith(".")
            else ""
        )
        return (tree.root / base / module.strip(".").replace(".", "/")).is_dir()

    @classmethod
    def _defines(cls, tree: SourceTree, base: str, name: str, hops: int = 3) -> bool:
        data = tree.read(base) or b""
        if name.encode() in data or b"__getattr__" in data or cls._submodule(tree, base, name):
            return True
        stars = STAR.findall(data) if hops else []
        others = [resolve(tree, base, module.decode()) for module in stars]
        return any(cls._defines(tree, other, name, hops - 1) for other in others if other)

    @staticmethod
    def _submodule(tree: SourceTree, base: str, name: str) -> bool:
        folder = base.removesuffix("__init__.py")
        ends = (".py", "/__init__.py")
        return folder != base and any(tree.read(f"{folder}{name}{end}") is not None for end in ends)
