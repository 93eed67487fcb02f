"""One model as the rules see it: its registration, its class, its checkpoint, its artefacts, what git says changed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from generator.errors import ScaffoldError
from generator.survey.vllm_ascend import Registered
from generator.survey.vllm_model import ModelClass, ModelFile, find_class, find_module, lineage
from generator.survey.vllm_registry import Entry
from generator.survey.vllm_tree import SourceTree

from ..analysis.analysis import Analysis
from ..decision.checkouts import Checkouts
from ..decision.decide import decide
from ..decision.decision import Decision
from .history import History


@dataclass
class Subject:
    """Attributes:
    name: as the user gave it: an architecture, or the name of the model's artefacts.
    arch: the architecture. roots: the checkouts.
    """

    name: str
    arch: str
    roots: dict[str, Path]
    checkouts: Checkouts
    analysis: Analysis | None = None

    @classmethod
    def of(
        cls, name: str, roots: dict[str, Path], analysis: Analysis | None, transformers: Path | None = None
    ) -> Subject:
        """Return the subject.

        Raises:
            ScaffoldError: `name` is no architecture of these checkouts, and no checkpoint says which is meant.
        """
        checkouts = Checkouts.of(roots.get("vllm"), roots.get("vllm-ascend"), transformers)
        known = checkouts.registry is not None and checkouts.registry.find(name) or name in checkouts.added.models
        if not known and analysis is None:
            from ..decision.decide import near_misses

            near = near_misses(name, checkouts)
            hint = f"did you mean {near[0]}?" if near else "give its --checkpoint, or register it with vllm-register"
            raise ScaffoldError(f"{name!r:.100} is no registered architecture", next=hint)
        return cls(name, name if known else analysis.architecture, roots, checkouts, analysis)

    def tree(self, repo: str) -> SourceTree | None:
        """The checkout `repo` to read."""
        return self.checkouts.vllm if repo == "vllm" else self.checkouts.ascend

    @cached_property
    def entries(self) -> list[Entry]:
        """The entries of vLLM's registry with this key."""
        registry = self.checkouts.registry
        return [entry for entry in registry.entries if entry.arch == self.arch] if registry else []

    @property
    def drafts(self) -> bool:
        """True if it is only a draft model, whose class is called in another way."""
        return bool(self.entries) and all("SPECULATIVE" in entry.table for entry in self.entries)

    @property
    def generates(self) -> bool:
        """True if it makes text."""
        tables = {entry.table for entry in self.entries}
        return not tables or bool(tables & {"_TEXT_GENERATION_MODELS", "_MULTIMODAL_MODELS"})

    @cached_property
    def added(self) -> Registered | None:
        """vllm-ascend's own registration."""
        return self.checkouts.added.models.get(self.arch)

    @cached_property
    def model(self) -> tuple[str, ModelFile, ModelClass] | None:
        """(repo, file, class) that serves the model."""
        if self.added:
            module, _, cls = self.added.target.partition(":")
            base = module.replace(".", "/")
            return self._class("vllm-ascend", (f"{base}.py", f"{base}/__init__.py"), cls)
        entry = self.entries[-1] if self.entries else None
        path = find_module(self.checkouts.vllm, entry.module) if entry else None
        return self._class("vllm", (path,), entry.cls) if path else None

    def _class(self, repo: str, paths: tuple[str, ...], name: str) -> tuple[str, ModelFile, ModelClass] | None:
        tree = self.tree(repo)
        found = next(filter(None, (find_class(tree, path, name) for path in paths)), None)
        return (repo, *found) if found else None

    @cached_property
    def family(self) -> list[tuple[ModelFile, ModelClass]]:
        """The class and its bases among the model files."""
        return lineage(self.tree(self.model[0]), *self.model[1:]) if self.model else []

    @cached_property
    def decision(self) -> Decision | None:
        """The decision for the checkpoint."""
        return decide(self.analysis, self.checkouts) if self.analysis else None

    @cached_property
    def histories(self) -> dict[str, History]:
        """What changed since the last commit, for each checkout that is a git work tree."""
        found = {repo: History.of(root) for repo, root in self.roots.items()}
        return {repo: history for repo, history in found.items() if history}

    @cached_property
    def own(self) -> bool:
        """True if somebody is working on the model: its registration or its file differ from the last commit."""
        paths = {*PATHS, *(file.path for file, _ in self.family[:1])}
        return any(paths & set(history.changed) for history in self.histories.values())

    def artefact(self, pattern: str) -> tuple[str, str] | None:
        """Return (path, text) of the artefact `pattern` of vllm-ascend, with any of the names for its `*`."""
        tree = self.checkouts.ascend
        for name in self.names:
            data = tree.read(pattern.replace("*", name)) if tree else None
            if data is not None:
                return pattern.replace("*", name), data.decode("utf-8", "replace")
        return None

    @property
    def names(self) -> list[str]:
        """The names that artefacts may have."""
        folder = self.analysis.checkpoint.root.name if self.analysis else ""
        good = [n for n in (self.name, folder) if n and "/" not in n and "\\" not in n and n not in (".", "..")]
        return list(dict.fromkeys(good))

    @property
    def files_read(self) -> int:
        """How many files were read."""
        trees = [tree for tree in (self.checkouts.vllm, self.checkouts.ascend) if tree]
        return sum(tree.files_read for tree in trees)

    def has(self, want: str) -> str | None:
        """Return why the subject lacks `want`, or None if it has it."""
        there = {
            "checkpoint": (self.analysis is not None, "no --checkpoint was given"),
            "class": (self.model is not None, "its class is not there"),
            "git": (bool(self.histories), "no checkout is a git work tree"),
            "ascend": (self.checkouts.ascend is not None, "no vllm-ascend checkout"),
            "vllm": (self.checkouts.registry is not None, "no vLLM checkout"),
        }
        good, why = there[want]
        return None if good else why


PATHS = ("vllm/model_executor/models/registry.py", "vllm_ascend/models/__init__.py")
