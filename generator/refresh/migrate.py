"""What plain copier calls: insert the fragments of a first copy, and merge them when it updates.

Copier knows nothing of insertions and has no base for them, and its own merge loses edits in files that git ignores
or that new templates drop. So its update is bracketed: `before` keeps what is there, `after` starts from that and plans
the very update that `scaffold update` would plan.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from generator import __version__
from generator.errors import ScaffoldError
from generator.plan.apply import apply
from generator.plan.builder import PlanBuilder
from generator.plan.entry import Applied, Entry
from generator.plan.ledger import Ledger
from generator.plan.places import FOLDER
from generator.plan.plan import Plan
from generator.plan.tree import Tree
from generator.render.folder import Renderer
from generator.render.questions import answers_at
from generator.render.template import Template
from generator.scaffolds.build import Rendering, plan_renderings
from generator.scaffolds.previous import answers_path, read_answers
from generator.scaffolds.scene import Scene
from generator.source.errors import SourceError
from generator.workspace.checkout import Workspace

from .git import git, text
from .lines import has_markers
from .pieces import render
from .update import Job, describe, plan_update


@dataclass(frozen=True)
class Call:
    """One call from `copier.yml`.

    Attributes:
        root: the checkout, without symlinks.
        repo: which one it is.
        id: of what is copied or updated.
        templates: the template root that copier has unpacked.
    """

    root: Path
    repo: str
    id: str
    templates: Path

    @classmethod
    def of(cls, root: Path, answers: str, templates: Path) -> Call:
        """Read from the answers file which checkout this is and what is copied.

        Raises:
            ScaffoldError: the answers are not where ours are, or cannot be read.
        """
        id = Path(answers).parent.name
        if Path(answers).as_posix() != answers_path(id):
            raise ScaffoldError("answers are kept in .scaffold/<id>/answers.yml", where=answers)
        found = read_answers(Tree({"checkout": root}), "checkout", id) or {}
        if "repo" not in found:
            raise ScaffoldError("the answers do not say which checkout this is", where=answers)
        return cls(root, found["repo"], id, templates)

    @property
    def snapshot(self) -> Path:
        """Where `before` leaves what is there, out of the checkout's files.

        Raises:
            ScaffoldError: the folder is no git checkout.
        """
        folder = git(self.root, "rev-parse", "--absolute-git-dir").decode("utf-8", "surrogateescape").strip()
        return Path(folder) / "scaffold-base" / f"{self.id}.json"

    def answers(self, tree: Tree) -> dict[str, Any]:
        """The answers of the id.

        Raises:
            ScaffoldError: there are none.
        """
        answers = read_answers(tree, self.repo, self.id)
        if answers is None:
            raise ScaffoldError(f"there are no answers of {self.id}", where=answers_path(self.id))
        return answers


def insert(call: Call) -> Plan:
    """Insert the fragments that copier has just written, and remember the new files as ours.

    Raises:
        ScaffoldError, SourceError: an anchor is missing, or a name is taken.
    """
    tree = Tree({call.repo: call.root})
    answers = call.answers(tree)
    kind, name, vendor = (answers[key] for key in ("kind", "name", "vendor"))
    applied = Applied(call.id, kind, name, (vendor,), __version__, f"{kind} {name} --vendor {vendor}")
    builder = PlanBuilder(tree, Ledger.load(tree), [applied])
    renderer = Renderer(call.templates)
    for path, data in render(renderer, answers).files.items():
        if tree.read(call.repo, path) == data and not _tracked(call.root, path):
            what = describe(kind)(path)
            entry = Entry(path, what.layer, "create", what.name, None, (call.id,), content=data, what=what.what)
            page = builder.ledger.pages[call.repo]
            page.add(entry)
            page.folders.update(_own_folders(call.root, path))
    plan_renderings(builder, renderer, [Rendering(call.id, call.repo, answers)], describe(kind))
    plan = builder.build(command=applied.command)
    apply(plan)
    return plan


def before(call: Call) -> None:
    """Keep the fragments, and every file that the update may write, as they are."""
    tree = Tree({call.repo: call.root})
    answers, page = call.answers(tree), Ledger.load(tree).pages[call.repo]
    renderer = Renderer(call.templates)
    template = Template(call.templates, answers.get("_src_path", ""), answers.get("_commit", ""))
    new = render(renderer, answers_at(template, renderer, answers)).files
    paths = {e.path for e in page.entries.values() if e.kind == "create" and call.id in e.ids} | set(new)
    kept = {path: _text(tree, call.repo, path) for path in tree.files(call.repo, f"{FOLDER}/{call.id}")}
    files = {path: _text(tree, call.repo, path) for path in sorted(paths)}
    call.snapshot.parent.mkdir(exist_ok=True)
    call.snapshot.write_text(json.dumps({"kept": kept, "files": files}))


def after(call: Call) -> Plan:
    """Put what `before` kept back, and plan the update from there; if that fails, nothing is updated.

    Raises:
        ScaffoldError, SourceError: see `plan_update`.
    """
    tree = Tree({call.repo: call.root})
    answers = call.answers(tree)
    _restore(tree, call)
    scene = Scene(Workspace(), tree, Ledger.load(tree))
    job = Job(call.id, call.templates, {call.repo: answers})
    try:
        plan = plan_update(scene, [job], command=f"update {call.id}")
    except (ScaffoldError, SourceError):
        back = Tree({call.repo: call.root})
        _restore(back, call)
        apply(Plan(call.id, (call.id,), "update", (), back))
        raise
    apply(plan)
    _clear_index(call, tree)
    call.snapshot.unlink()
    return plan


def _restore(tree: Tree, call: Call) -> None:
    try:
        found = json.loads(call.snapshot.read_text())
    except OSError:
        raise ScaffoldError("what was there before the update was not kept", next="update with --trust") from None
    for path in list(tree.files(call.repo, f"{FOLDER}/{call.id}")):
        if path not in found["kept"]:
            tree.delete(call.repo, path)
    for path, content in {**found["kept"], **found["files"]}.items():
        if content is None:
            tree.delete(call.repo, path)
        else:
            tree.write(call.repo, path, content.encode("utf-8", "surrogateescape"))


def _clear_index(call: Call, tree: Tree) -> None:
    """Files that copier could not merge and this could are no conflicts for git either."""
    unmerged = (text(call.root, "diff", "--name-only", "--relative", "--diff-filter=U") or "").splitlines()
    for path in unmerged:
        if not has_markers(tree.read(call.repo, path)):
            git(call.root, "reset", "-q", "--", path)


def _tracked(root: Path, path: str) -> bool:
    return bool(text(root, "ls-files", "--", path))


def _own_folders(root: Path, path: str) -> list[str]:
    parents = [str(parent) for parent in Path(path).parents][:-1]
    return [parent for parent in parents if not _tracked(root, parent)]


def _text(tree: Tree, repo: str, path: str) -> str | None:
    data = tree.read(repo, path)
    return None if data is None else data.decode("utf-8", "surrogateescape")
