"""Plan the registration of a model over vLLM and vllm-ascend."""

from __future__ import annotations

from generator import __version__
from generator.plan.builder import PlanBuilder
from generator.plan.entry import Applied
from generator.plan.plan import Plan
from generator.survey.vllm_ascend import read_ascend
from generator.survey.vllm_lists import read_lists
from generator.survey.vllm_registry import PATH, Registry
from generator.survey.vllm_tree import SourceTree
from generator.vllm.analysis.analysis import Analysis
from generator.vllm.register.ascend import ascend_answers, lives_in_ascend
from generator.vllm.register.docs import docs_row
from generator.vllm.register.lists import list_answers
from generator.vllm.register.place import TESTS, place_of, registry_of, tests_place
from generator.vllm.register.request import RegisterRequest

from .build import NewFile, Rendering, plan_renderings
from .previous import previous_answers
from .scene import Scene
from .vllm_register_notes import note_all

KIND, VENDOR = "vllm-register", "ascend"


def plan_register(request: RegisterRequest, scene: Scene, analysis: Analysis | None = None) -> Plan:
    """Plan a registration; `analysis` of the checkpoint says which other lists the model has to be in.

    Raises:
        ScaffoldError, SourceError: bad names, a missing dict, section or anchor; nothing is written.
    """
    request = request.checked()
    roots = scene.workspace.roots
    trees = {repo: SourceTree(roots[repo]) for repo in ("vllm", "vllm-ascend") if repo in roots}
    wanted = registration(request, trees, analysis)
    found = {repo: _with_previous(scene, request.arch, repo, answers) for repo, answers in wanted.items()}
    id = f"{KIND}-{request.arch}-{VENDOR}"
    command = f"vllm-register {request.arch} --module {request.module} --class {request.cls} --kind {request.kind}"
    applied = [Applied(id, KIND, request.arch, (VENDOR,), __version__, command)]
    builder = PlanBuilder(scene.tree, scene.ledger, applied, track=scene.track)
    answers = {"kind": KIND, "name": request.arch, "vendor": VENDOR, **scene.template.answers}
    renderings = [
        Rendering(id, repo, {**answers, "repo": repo, "registration": registration})
        for repo, registration in found.items()
        if registration
    ]
    plan_renderings(builder, scene.renderer, renderings, lambda path: NewFile(None, path))
    note_all(builder, request, trees, analysis, found)
    return builder.build(command=command, id=id)


def _with_previous(scene: Scene, arch: str, repo: str, answers: dict) -> dict:
    """Return the answers; those that were given before stay, as what was inserted for them does."""
    previous = previous_answers(scene, KIND, arch, repo).get(VENDOR, {})
    return {**answers, **previous.get("registration", {})}


def registration(request: RegisterRequest, trees: dict[str, SourceTree], analysis: Analysis | None) -> dict[str, dict]:
    """Return repo → the answers `registration` of the templates.

    Raises:
        ScaffoldError: a missing dict or section.
    """
    vllm, ascend = trees.get("vllm"), trees.get("vllm-ascend")
    found: dict[str, dict] = {}
    if request.ascend:
        found["vllm-ascend"] = ascend_answers(request, analysis, read_ascend(ascend), ascend, vllm)
    if vllm and not (request.ascend and lives_in_ascend(request, ascend, vllm)):
        found["vllm"] = _vllm(request, vllm, registry_of(vllm), analysis)
    elif vllm and analysis:
        found["vllm"] = list_answers(request, analysis, read_lists(vllm), vllm)
    return found


def _vllm(request: RegisterRequest, tree: SourceTree, registry: Registry, analysis: Analysis | None) -> dict:
    place = place_of(request, registry, tree)
    answers = {
        "registry": {
            "path": PATH,
            "table": place.table,
            "section": place.section,
            "module": request.module,
            "cls": request.cls,
            "breaks": place.breaks,
        },
        **list_answers(request, analysis, read_lists(tree), tree),
    }
    tests = tests_place(place.table, request.arch, place.section, tree)
    if tests:
        answers["tests"] = {
            "path": TESTS,
            "table": tests[0],
            "section": tests[1],
            "example": request.example,
            "remote": bool(analysis and analysis.remote.auto_map),
        }
    row = docs_row(request, registry, place.table, place.section, tree, analysis)
    if row:
        answers["docs"] = {"path": row[0].path, "beside": row[0].rows[0], "row": row[1]}
    return answers
