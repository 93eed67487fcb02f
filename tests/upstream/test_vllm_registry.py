"""Registrations that vLLM's maintainers made between two releases, replayed on the older one."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from generator.scaffolds.scene import Scene
from generator.scaffolds.vllm_register import plan_register
from generator.survey.vllm_model import find_class, find_module
from generator.survey.vllm_registry import PATH, Entry, Registry, read_registry
from generator.survey.vllm_tree import SourceTree
from generator.vllm.check.history import removed_lines
from generator.vllm.register.request import TABLES, RegisterRequest
from generator.workspace.checkout import Workspace, recognise

from .vllm_packages import RELEASES, vllm

PAIRS = list(zip(RELEASES, RELEASES[1:], strict=False))
KIND = {table: kind for kind, tables in TABLES.items() for table in tables[:1]}
MEASURED = ("_TEXT_GENERATION_MODELS", "_MULTIMODAL_MODELS")


@dataclass(frozen=True)
class Replay:
    """What one replayed registration came to."""

    wanted: Entry
    before: bytes
    after: bytes
    registry: Registry

    @property
    def made(self) -> Entry:
        (entry,) = [e for e in self.registry.entries if (e.table, e.arch) == (self.wanted.table, self.wanted.arch)]
        return entry


def registry(version: str) -> Registry:
    return read_registry(SourceTree(vllm(version)))


def keys(found: Registry, like: Entry) -> list[str]:
    return [e.arch for e in found.entries if (e.table, e.section) == (like.table, like.section)]


def additions(base: Registry, target: Registry) -> list[Entry]:
    """The entries that are new in `target`, in a dict and section that `base` has."""
    old = {(e.table, e.arch) for e in base.entries}
    places = {(e.table, e.section) for e in base.entries}
    return [
        e for e in target.entries if (e.table, e.arch) not in old and (e.table, e.section) in places and e.table in KIND
    ]


@pytest.fixture(scope="module")
def replays(tmp_path_factory) -> dict[tuple[str, str], list[Replay]]:
    found = {}
    for base, target in PAIRS:
        root = tmp_path_factory.mktemp(f"vllm-{base}") / "vllm"
        (root / PATH).parent.mkdir(parents=True)
        (root / PATH).write_bytes((vllm(base) / PATH).read_bytes())
        found[base, target] = [replay(root, entry) for entry in additions(registry(base), registry(target))]
    return found


def replay(root: Path, entry: Entry) -> Replay:
    request = RegisterRequest(entry.arch, entry.module, entry.cls, KIND[entry.table], entry.section)
    plan = plan_register(request, Scene.open(Workspace({"vllm": recognise(root)})))
    after = plan.tree.read("vllm", PATH)
    tree = SourceTree(root)
    tree._bytes[PATH] = after
    return Replay(entry, (root / PATH).read_bytes(), after, read_registry(tree))


def every(replays) -> list[Replay]:
    return [one for many in replays.values() for one in many]


def test_there_is_something_to_replay(replays):
    assert len(replays) >= 4 and len(every(replays)) >= 40


def test_every_entry_is_in_its_dict_and_section(replays):
    assert [one.wanted for one in every(replays) if one.made.section != one.wanted.section] == []


def test_every_edit_only_adds_and_compiles(replays):
    for one in every(replays):
        assert removed_lines(one.before, one.after) == []
        ast.parse(one.after)


def test_the_text_is_upstreams_up_to_wrapping_and_comments(replays):
    same = [_normal(_text(one.after, one.made)) == _normal(_written(one)) for one in every(replays)]
    assert sum(same) / len(same) >= 0.98


def _written(one: Replay) -> str:
    return f'"{one.wanted.arch}": ("{one.wanted.module}", "{one.wanted.cls}"),'


def _text(data: bytes, entry: Entry) -> str:
    text = "\n".join(data.decode().splitlines()[entry.line - 1 :])
    return text[: text.index(")") + 2]


def _normal(text: str) -> str:
    return re.sub(r"\s+|,(?=\s*\))", "", text)


def test_the_position_is_within_two_places_of_upstreams(replays):
    near = []
    for (_, target), many in replays.items():
        for one in many:
            if one.wanted.table in MEASURED:
                theirs, ours = keys(registry(target), one.wanted), keys(one.registry, one.wanted)
                both = set(theirs) & set(ours)
                at = [[k for k in order if k in both].index(one.wanted.arch) for order in (theirs, ours)]
                near.append(abs(at[0] - at[1]) <= 2)
    assert sum(near) / len(near) >= 0.85, f"{sum(near)} of {len(near)}"


@pytest.mark.parametrize("version", RELEASES)
def test_every_entry_of_a_release_leads_to_its_class(version):
    tree = SourceTree(vllm(version))
    lost = []
    for entry in read_registry(tree).entries:
        path = find_module(tree, entry.module)
        if path is None or find_class(tree, path, entry.cls) is None:
            lost.append(entry)
    assert lost == []
