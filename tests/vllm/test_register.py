"""One plan for every list: what is inserted where, twice is nothing, undo gives the bytes back."""

import subprocess

import pytest

from generator.errors import ScaffoldError
from generator.plan.apply import apply
from generator.plan.ledger import Ledger
from generator.plan.tree import Tree
from generator.plan.undo import plan_undo
from generator.scaffolds.scene import Scene
from generator.scaffolds.vllm_register import plan_register
from generator.vllm.register.request import KINDS, RegisterRequest, parse_pairs
from generator.workspace.checkout import Workspace, recognise

from .kit import ENDS, QWEN3, analysed, layers
from .small_vllm import ASCEND, VLLM, lay

REGISTRY = "vllm/model_executor/models/registry.py"
MINE = RegisterRequest("Qwen4ForCausalLM", "qwen4", "Qwen4ForCausalLM", "text-generation")
PREDICTS = QWEN3 | {"model_type": "mine", "kv_lora_rank": 512, "num_nextn_predict_layers": 1}


@pytest.fixture
def workspace(tmp_path):
    found = {}
    for repo, files in (("vllm", VLLM), ("vllm-ascend", ASCEND)):
        root = lay(tmp_path / repo, files)
        for command in (
            ["init", "-q"],
            ["add", "-A"],
            ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"],
        ):
            subprocess.run(["git", "-C", str(root), *command], check=True, capture_output=True)
        found[repo] = recognise(root)
    return Workspace(found)


def plan(workspace, request=MINE, analysis=None):
    return plan_register(request, Scene.open(workspace), analysis)


def added(plan, path):
    """The lines that a plan adds to a file; nothing may be taken away."""
    lines = [line for line in plan.diff().split(f"+++ b/{path}\n")[1].split("diff --git")[0].splitlines()]
    assert not [line for line in lines if line.startswith("-")]
    return [line[1:] for line in lines if line.startswith("+")]


def test_the_registry_the_example_and_the_row(workspace):
    made = plan(workspace)
    assert added(made, f"vllm/{REGISTRY}") == ['    "Qwen4ForCausalLM": ("qwen4", "Qwen4ForCausalLM"),']
    assert added(made, "vllm/tests/models/registry.py") == [
        '    "Qwen4ForCausalLM": _HfExamplesInfo("Qwen4ForCausalLM", is_available_online=False),'
    ]
    assert added(made, "vllm/docs/models/supported_models.md") == ["| `Qwen4ForCausalLM` | Qwen4 | TBA | | |"]
    assert any("qwen4 is not there yet" in note.text for note in made.notes)


def test_a_long_example_breaks_as_ruff_would(workspace):
    request = RegisterRequest("A" + "b" * 40, "a", "A", "text-generation", example="org/" + "n" * 40)
    assert added(plan(workspace, request), "vllm/tests/models/registry.py") == [
        f'    "A{"b" * 40}": _HfExamplesInfo(',
        f'        "org/{"n" * 40}"',
        "    ),",
    ]


def test_it_needs_the_registry_only(tmp_path):
    root = lay(tmp_path / "vllm", {REGISTRY: VLLM[REGISTRY]})
    made = plan(Workspace({"vllm": recognise(root)}))
    assert [step.path for step in made.steps] == [REGISTRY]


def test_a_long_entry_breaks_as_ruff_would(workspace):
    name = "Qwen4WithAVeryLongNameForConditionalGeneration"
    made = plan(workspace, RegisterRequest(name, "vllm.models.qwen4", name, "text-generation"))
    assert added(made, f"vllm/{REGISTRY}") == [
        f'    "{name}": (',
        '        "vllm.models.qwen4",',
        f'        "{name}",',
        "    ),",
    ]


@pytest.mark.parametrize(
    ("section", "above"), [("Text-only", "BertModel"), ("Multimodal", "ClipModel"), (None, "BertModel")]
)
def test_the_section(workspace, section, above):
    request = RegisterRequest("ZModel", "z", "ZModel", "embedding", section)
    text = plan(workspace, request).tree.read("vllm", REGISTRY).decode().splitlines()
    at = next(i for i, line in enumerate(text) if '"ZModel"' in line)
    assert above in "".join(text[max(0, at - 2) : at])


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        (RegisterRequest("A", "a", "A", "embedding", "Multi-modal"), "did you mean Multimodal"),
        (RegisterRequest("A", "a", "A", "reward"), ""),
        (RegisterRequest("A", "a", "A", "multimodal"), "it has _TEXT_GENERATION_MODELS"),
        (RegisterRequest("A;", "a", "A", "embedding"), "Python identifier"),
        (RegisterRequest("A", "a/../b", "A", "embedding"), "dotted name"),
        (RegisterRequest("A", "a", "class", "embedding"), "Python identifier"),
        (RegisterRequest("A", "a", "A", "poetry"), "one of"),
        (RegisterRequest("A", "a", "A", "embedding", 'x"]\n'), "without brackets"),
        (RegisterRequest("A", "a", "A", "embedding", example='x", evil="'), "correct it"),
        (RegisterRequest("A", "a", "A", "embedding", packed=(("q", ('k"',)),)), "correct it"),
    ],
)
def test_bad_requests_write_nothing(workspace, request_, says):
    if request_.kind == "reward":
        assert plan(workspace, request_).steps[0].anchor == "`_EMBEDDING_MODELS`, [Text-only]"
        return
    with pytest.raises(ScaffoldError) as error:
        plan(workspace, request_)
    assert error.value.exit_code == 2 and says in error.value.next


def test_what_is_registered_already_is_left(workspace):
    made = plan(workspace, RegisterRequest("Qwen3ForCausalLM", "other", "Other", "text-generation"))
    assert {step.kind for step in made.steps} == {"present"}
    assert any("is there already, as (qwen3, Qwen3ForCausalLM)" in note.text for note in made.notes)
    dropped = plan(workspace, RegisterRequest("OldForCausalLM", "old", "Old", "text-generation"))
    assert any("_PREVIOUSLY_SUPPORTED_MODELS" in note.text for note in dropped.notes)


def test_the_lists_that_the_analysis_asks_for(workspace, tmp_path):
    analysis = analysed(tmp_path / "checkpoint", PREDICTS, [*layers(), *ENDS, "model.layers.2.eh_proj.weight"])
    convertor = "vllm/vllm/transformers_utils/model_arch_config_convertor.py"
    assert added(plan(workspace, MINE, analysis), convertor) == ['            "mine",']
    draft = RegisterRequest("MineMTPModel", "mine_mtp", "MineMTP", "speculative")
    made = plan(workspace, draft, analysis)
    assert added(made, convertor) == ['    "mine_mtp": GlmMTPModelArchConfigConvertor,']
    speculative = added(made, "vllm/vllm/config/speculative.py")
    assert speculative[0] == '    "mine_mtp",'
    assert any('"architectures": ["MineMTPModel"]' in line for line in speculative)


def test_configuration_and_processor_classes(workspace):
    request = RegisterRequest(
        "A",
        "mine",
        "A",
        "text-generation",
        model_type="mine",
        config_class="MineConfig",
        processor_class="MineProcessor",
    )
    made = plan(workspace, request)
    assert added(made, "vllm/vllm/transformers_utils/config.py") == ['    mine="MineConfig",']
    assert added(made, "vllm/vllm/transformers_utils/configs/__init__.py") == [
        '    "MineConfig": "vllm.transformers_utils.configs.mine",',
        '    "MineConfig",',
    ]
    assert added(made, "vllm/vllm/transformers_utils/processors/__init__.py") == [
        '    "MineProcessor": "vllm.transformers_utils.processors.mine",',
        '    "MineProcessor",',
    ]


def test_vllm_ascend(workspace):
    request = RegisterRequest(
        "MineForCausalLM",
        "mine",
        "Mine",
        "text-generation",
        ascend=True,
        model_type="mine",
        packed=(("qkv_proj", ("q_proj", "k_proj", "v_proj")),),
        prefixes=(("layers.", "model.layers."),),
    )
    made = plan(workspace, request)
    assert added(made, "vllm-ascend/vllm_ascend/models/__init__.py") == [
        '    ModelRegistry.register_model("MineForCausalLM", "vllm_ascend.models.mine:Mine")'
    ]
    lists = added(made, "vllm-ascend/vllm_ascend/quantization/modelslim_config.py")
    assert '        "qkv_proj": ["q_proj", "k_proj", "v_proj"],' in lists
    assert '        "layers.": "model.layers.",' in lists
    assert not [step for step in made.steps if step.repo == "vllm"]


def test_a_class_of_vllm_itself_needs_no_registration_in_vllm_ascend(workspace):
    request = RegisterRequest(
        "MyForCausalLM", "llama", "LlamaForCausalLM", "text-generation", ascend=True, model_type="my"
    )
    made = plan(workspace, request)
    paths = {(step.repo, step.path) for step in made.steps}
    assert ("vllm", REGISTRY) in paths
    assert ("vllm-ascend", "vllm_ascend/models/__init__.py") not in paths
    lists = added(made, "vllm-ascend/vllm_ascend/quantization/modelslim_config.py")
    assert '        "qkv_proj": ["q_proj", "k_proj", "v_proj"],' in lists


@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if kind not in ("multimodal", "token-classification", "sequence-classification")]
)
def test_twice_is_nothing_and_undo_gives_the_bytes_back(workspace, tmp_path, kind):
    analysis = analysed(tmp_path / "checkpoint", PREDICTS, [*layers(), *ENDS, "model.layers.2.eh_proj.weight"])
    request = RegisterRequest("MineModel", "mine", "MineModel", kind, config_class="MineConfig")
    before = {
        p: p.read_bytes() for root in workspace.roots.values() for p in root.rglob("*.*") if ".git" not in p.parts
    }
    apply(plan(workspace, request, analysis))
    assert any(path.read_bytes() != data for path, data in before.items())
    again = plan(workspace, request, analysis)
    assert {step.kind for step in again.steps} == {"present"}
    assert not [change for change in again.changes if not change.bookkeeping]
    tree = Tree(workspace.roots)
    apply(plan_undo(tree, Ledger.load(tree), "MineModel"))
    assert {path: path.read_bytes() for path in before} == before


def test_another_request_keeps_what_was_inserted(workspace):
    apply(plan(workspace))
    folder = workspace.roots["vllm"] / ".scaffold" / "vllm-register-Qwen4ForCausalLM-ascend"
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    other = RegisterRequest("Qwen4ForCausalLM", "other", "Other", "text-generation", example="org/other")
    again = plan(workspace, other)
    assert not [change for change in again.changes if not change.bookkeeping]
    assert any("is there already, as (qwen4, Qwen4ForCausalLM)" in note.text for note in again.notes)
    apply(again)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_pairs():
    assert parse_pairs(["a=b=c"], "--packed") == [("a", "b=c")]
    with pytest.raises(ScaffoldError):
        parse_pairs(["a"], "--packed")


def test_lists_that_the_plan_leaves_open_are_named(workspace, tmp_path):
    config = {k: v for k, v in QWEN3.items() if k not in ("num_attention_heads", "num_key_value_heads")}
    description = {"model_quant_type": "W8A8"}
    analysis = analysed(
        tmp_path / "checkpoint",
        config | {"n_heads": 4, "model_type": "mine"},
        quant_model_description__json=description,
    )
    warnings = {
        note.text.split(":")[0]: note.next for note in plan(workspace, MINE, analysis).notes if note.level == "warning"
    }
    assert set(warnings) == {"config convertor", "packed_modules_model_mapping"}
    assert "--ascend" in warnings["packed_modules_model_mapping"]
