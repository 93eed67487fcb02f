"""Proves that a template root keeps the contract of docs/templates.md."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from generator.errors import ScaffoldError
from generator.plan.apply import apply
from generator.plan.undo import plan_undo
from generator.render.folder import SUFFIX, Renderer
from generator.render.root import template_root
from generator.render.template import VERSION_FILE, Template, version_of
from generator.sandbox.write import write_sandbox
from generator.scaffolds.op import plan_op
from generator.scaffolds.op_request import OpRequest
from generator.scaffolds.scene import Scene
from generator.source.errors import SourceError
from generator.spec.vendor import VENDORS
from generator.workspace.checkout import Workspace, recognise

from .jobs import jobs_of
from .update import plan_update

SCHEMA = {"name": "scaffold/template-check", "version": 1}
# Settings without which copier and scaffold would render different things, or an update would lose edits.
SETTINGS = (
    "_templates_suffix",
    "_subdirectory",
    "_answers_file",
    "_envops",
    "_jinja_extensions",
    "_tasks",
    "_migrations",
)
_OP = "rms_norm_gated"


@dataclass(frozen=True)
class Finding:
    """One point of the contract that is not kept.

    Attributes:
        rule: the point's name in docs/templates.md.
        path: the file, relative to the template root.
        message: what is wrong.
        next: what to do.
    """

    rule: str
    path: str
    message: str
    next: str


def check_templates(root: Path) -> list[Finding]:
    """Return what a template root does not keep of the contract; an empty list means that it conforms.

    Ops are tried for real, in a sandbox: applied, applied again, updated and undone, for each vendor that has them.
    """
    found = [*_version(root), *_settings(root), *_questions(root)]
    found += [*_vendors(root), *_syntax(root)]
    return found or [finding for vendor in _with_ops(root) for finding in _try_op(root, vendor)]


def to_json(found: list[Finding]) -> dict:
    """Return the documented JSON document `scaffold/template-check` version 1."""
    findings = [asdict(finding) for finding in found]
    return {"schema": dict(SCHEMA), "command": "template check", "exit": int(bool(found)), "findings": findings}


def _version(root: Path) -> Iterator[Finding]:
    from packaging.version import InvalidVersion, Version

    try:
        version = version_of(root)
        Version(version)
    except ScaffoldError as error:
        yield Finding("version", VERSION_FILE, error.what, "write a version such as 1.0.0")
        return
    except InvalidVersion:
        yield Finding("version", VERSION_FILE, f"`{version}` is no version", "write a version such as 1.0.0")
        return
    changelog = root / "templates/CHANGELOG.md"
    if not changelog.is_file() or f"## {version}" not in changelog.read_text().splitlines():
        path = "templates/CHANGELOG.md"
        yield Finding("changelog", path, f"nothing is said of version {version}", f"add a heading `## {version}`")


def _settings(root: Path) -> Iterator[Finding]:
    theirs, ours = _copier(root), _copier(template_root())
    for name in SETTINGS:
        found, wanted = theirs.get(name), ours.get(name)
        begins = isinstance(found, list) and isinstance(wanted, list) and found[: len(wanted)] == wanted
        if found != wanted and not begins:
            yield Finding("settings", "copier.yml", f"`{name}` is not as scaffold needs it", "take it over unchanged")


def _questions(root: Path) -> Iterator[Finding]:
    theirs, ours = _copier(root), _copier(template_root())
    for name in ours:
        if not name.startswith("_") and name not in theirs:
            yield Finding("questions", "copier.yml", f"the question `{name}` is missing", "scaffold answers it: ask it")
    for name, question in theirs.items():
        if name.startswith("_") or name in ours:
            continue
        if not isinstance(question, dict) or "default" not in question:
            yield Finding("questions", "copier.yml", f"`{name}` has no default", "give it one: nobody is asked")
        elif question.get("secret"):
            yield Finding("questions", "copier.yml", f"`{name}` is secret", "a refresh needs every answer")


def _copier(root: Path) -> dict[str, Any]:
    import yaml

    try:
        found = yaml.safe_load((root / "copier.yml").read_bytes())
    except (OSError, yaml.YAMLError) as error:
        raise ScaffoldError(f"cannot read copier.yml: {error}", where=str(root), next="give a template root") from None
    return found if isinstance(found, dict) else {}


def _vendors(root: Path) -> Iterator[Finding]:
    for folder in sorted((root / "templates").iterdir()):
        if folder.is_dir() and folder.name not in {*VENDORS, "shared"}:
            next = "add its record to generator/spec/vendor.py, in the same change"
            yield Finding("vendor", f"templates/{folder.name}", "scaffold knows no such vendor", next)


def _syntax(root: Path) -> Iterator[Finding]:
    """Every template parses, includes what is there, and keeps its answers."""
    from jinja2 import TemplateSyntaxError, meta

    env = Renderer(root).env
    for path in sorted((root / "templates").rglob(f"*{SUFFIX}")):
        name = path.relative_to(root).as_posix()
        try:
            tree = env.parse(path.read_text(encoding="utf-8"))
        except (TemplateSyntaxError, UnicodeDecodeError) as error:
            yield Finding("syntax", name, f"this is no template: {error}", "correct it")
            continue
        for included in meta.find_referenced_templates(tree):
            if included and not (root / included).is_file():
                yield Finding("syntax", name, f"it includes {included}, which is not there", "add it")
    for folder in _repo_folders(root):
        if not any(folder.glob(f".scaffold/*/answers.yml{SUFFIX}")):
            next = "add .scaffold/{{ kind }}-{{ name }}-{{ vendor }}/answers.yml.jinja"
            yield Finding("answers", folder.relative_to(root).as_posix(), "no answers are kept", next)


def _repo_folders(root: Path) -> list[Path]:
    return [f for v in VENDORS for f in sorted((root / "templates" / v).glob("*/*")) if f.is_dir()]


def _with_ops(root: Path) -> list[str]:
    return [vendor for vendor in VENDORS if (root / "templates" / vendor / "op").is_dir()]


def _try_op(root: Path, vendor: str) -> Iterator[Finding]:
    template = Template(root, "local:checked", f"v{version_of(root)}")
    with tempfile.TemporaryDirectory(prefix="scaffold-check-") as name:
        checkouts = [recognise(folder) for folder in write_sandbox(Path(name) / "sandbox")]
        workspace = Workspace({checkout.repo: checkout for checkout in checkouts if checkout})
        place = f"templates/{vendor}/op"
        try:
            yield from _rounds(lambda: Scene.open(workspace, template=template), template, vendor, place)
        except (ScaffoldError, SourceError) as error:
            yield Finding("op", place, error.what, error.next or "correct the template")


def _rounds(scene: Callable[[], Scene], template: Template, vendor: str, place: str) -> Iterator[Finding]:
    request = OpRequest(_OP, (vendor,))
    apply(first := plan_op(request, scene()))
    before = {(c.repo, c.path): c.before for c in first.changes if not c.bookkeeping}
    if plan_op(request, scene()).diff():
        yield Finding("idempotent", place, "a second run changes something", "make what is inserted findable")
    here = scene()
    jobs = jobs_of(here, list(here.ledger.ids()), lambda answers: template)
    if plan_update(here, jobs, command="update").changes:
        yield Finding("refresh", place, "an update by the same templates changes something", "render answers only")
    here = scene()
    apply(plan_undo(here.tree, here.ledger, _OP))
    tree = scene().tree
    for (repo, path), data in before.items():
        if tree.read(repo, path) != data:
            yield Finding("undo", place, f"undo does not give back {repo}/{path}", "insert one thing in a fragment")
