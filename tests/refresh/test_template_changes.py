"""What a newer template version may do: new and dropped fragments, other names, other places, other questions."""

from __future__ import annotations

import ast
import json

import pytest

from tests.conftest import snapshot
from tests.plan.kit import git

from .kit import change, release
from .test_edits import CAMB, KERNEL, OPS

LAYER3 = "camb/op/dlinfer/.scaffold/{{ kind }}-{{ name }}-{{ vendor }}/{% if 3 in layers %}layer3{% endif %}"
HELPER = """#@ insert: definition
#@ path: dlinfer/ops/llm.py
#@ layer: 3
#@ what: helper
def {{ name }}_shape(x: Tensor) -> int:
    return x.shape[-1]
"""
WRAPPER = "camb/op/lmdeploy/lmdeploy/pytorch/kernels/dlinfer/{% if 2 in layers %}{{ name }}.py{% endif %}.jinja"
RENAMED = WRAPPER.replace("{{ name }}.py", "{{ name }}_kernel.py")
FUNCTION = f"{LAYER3}/function.py.txt.jinja"


@pytest.fixture
def update(scaffold, templates):
    return lambda *more: scaffold("update", "--template", templates, *more)


def test_new_fragment(update, scaffold, applied, templates, pristine):
    release(templates, "1.1.0", {}, {f"{LAYER3}/shape.py.txt.jinja": HELPER})
    assert update().code == 0
    assert "def rms_norm_gated_shape(" in (applied / OPS).read_text()
    before = snapshot(applied)
    assert update().code == 0 and snapshot(applied) == before
    assert scaffold("undo", "rms_norm_gated").code == 0
    assert snapshot(applied) == snapshot(pristine)


def test_dropped_fragment(update, applied, templates):
    release(templates, "1.1.0", {}, {f"{LAYER3}/shape.py.txt.jinja": HELPER})
    update()
    git(templates, "rm", "-q", f"templates/{LAYER3}/shape.py.txt.jinja")
    release(templates, "1.2.0", {})
    assert update().code == 0
    assert "rms_norm_gated_shape" not in (applied / OPS).read_text()


def test_dropped_fragment_that_was_edited(update, applied, templates):
    release(templates, "1.1.0", {}, {f"{LAYER3}/shape.py.txt.jinja": HELPER})
    update()
    change(applied / OPS, "return x.shape[-1]", "return x.shape[-2]  # mine")
    git(templates, "rm", "-q", f"templates/{LAYER3}/shape.py.txt.jinja")
    release(templates, "1.2.0", {})
    done = update()
    assert done.code == 1 and "no longer have it" in done.out
    assert "return x.shape[-2]  # mine" in (applied / OPS).read_text()
    assert update().code == 1
    (conflict,) = applied.glob("dlinfer/.scaffold/*/layer3/*.conflict")
    conflict.unlink()
    assert update().code == 0
    assert "return x.shape[-2]  # mine" in (applied / OPS).read_text()
    assert update().code == 0


def test_new_fragment_whose_name_the_user_has(update, applied, templates):
    with (applied / OPS).open("a") as file:
        file.write('\n\ndef rms_norm_gated_shape(x):\n    return "mine"\n')
    release(templates, "1.1.0", {}, {f"{LAYER3}/shape.py.txt.jinja": HELPER})
    done = update()
    assert done.code == 1 and "something else has its name" in done.out
    text = (applied / OPS).read_text()
    assert 'return "mine"' in text and text.count("def rms_norm_gated_shape") == 1
    assert update().code == 1


def test_the_template_renames_a_function(update, applied, templates):
    release(templates, "1.1.0", {}, {f"{LAYER3}/shape.py.txt.jinja": HELPER})
    update()
    change(applied / OPS, "    return x.shape[-1]", "    # mine\n    return x.shape[-1]")
    body = HELPER.replace("_shape(", "_last_dim(")
    release(templates, "1.2.0", {}, {f"{LAYER3}/shape.py.txt.jinja": body})
    done = update()
    text = (applied / OPS).read_text()
    assert "# mine" in text
    if done.code == 0:
        assert "_last_dim(" in text and "_shape(" not in text
    else:
        assert "<<<<<<<" in next(applied.glob("dlinfer/.scaffold/*/layer3/*.conflict")).read_text()
    ast.parse(text)


def test_the_template_moves_a_function_to_another_file(update, scaffold, applied, templates, pristine):
    release(templates, "1.1.0", {}, {f"{LAYER3}/shape.py.txt.jinja": HELPER})
    update()
    change(applied / OPS, "    return x.shape[-1]", "    return x.shape[-1]  # mine")
    moved = HELPER.replace("ops/llm.py", "vendor/camb/camb_ops.py")
    release(templates, "1.2.0", {}, {f"{LAYER3}/shape.py.txt.jinja": moved})
    assert update().code == 0
    assert "_shape(" not in (applied / OPS).read_text()
    assert "return x.shape[-1]  # mine" in (applied / CAMB).read_text()
    assert update().code == 0
    change(applied / CAMB, "  # mine", "")
    assert scaffold("undo", "rms_norm_gated").code == 0
    assert snapshot(applied) == snapshot(pristine)


def test_the_template_renames_a_file(update, scaffold, applied, templates, pristine):
    change(applied / KERNEL, "import Tensor\n", "import Tensor\n\n# mine\n")
    git(templates, "mv", f"templates/{WRAPPER}", f"templates/{RENAMED}")
    module = ("module: .{{ op.name }}", "module: .{{ op.name }}_kernel")
    release(templates, "1.1.0", {"shared/op/layer2/import.txt.jinja": module})
    done = update()
    assert done.code == 0, done.out
    assert not (applied / KERNEL).exists()
    assert "# mine" in (applied / KERNEL.replace(".py", "_kernel.py")).read_text()
    init = (applied / "lmdeploy/lmdeploy/pytorch/kernels/dlinfer/__init__.py").read_text()
    assert "from .rms_norm_gated_kernel import rms_norm_gated" in init
    assert "from .rms_norm_gated import" not in init
    change(applied / KERNEL.replace(".py", "_kernel.py"), "\n# mine\n", "")
    assert scaffold("undo", "rms_norm_gated").code == 0
    assert snapshot(applied) == snapshot(pristine)


@pytest.mark.parametrize("edited", [False, True])
def test_the_template_drops_a_file(update, applied, templates, edited):
    if edited:
        change(applied / KERNEL, "import Tensor\n", "import Tensor\n\n# mine\n")
    git(templates, "rm", "-q", f"templates/{WRAPPER}")
    release(templates, "1.1.0", {})
    done = update()
    assert done.code == int(edited)
    assert (applied / KERNEL).exists() == edited
    if edited:
        assert update().code == 1
        (applied / KERNEL).unlink()
        assert update().code == 0


def test_the_template_adds_a_file_that_the_user_has(update, applied, templates):
    other = applied / KERNEL.replace(".py", "_extra.py")
    other.write_text("mine = 1\n")
    release(templates, "1.1.0", {}, {WRAPPER.replace("{{ name }}.py", "{{ name }}_extra.py"): "theirs = 1\n"})
    done = update()
    assert done.code == 1
    assert "mine = 1" in other.read_text() and "theirs = 1" in other.read_text()
    other.write_text("mine = 1\n")
    assert update().code == 0
    assert other.read_text() == "mine = 1\n"


def test_a_new_question_gets_its_default(update, applied, templates):
    (templates / "copier.yml").open("a").write('remark:\n    type: str\n    default: "for {{ name }}"\n')
    release(templates, "1.1.0", {FUNCTION: ("{%", "{% set said = remark %}{%")})
    assert update().code == 0
    answers = (applied / "dlinfer/.scaffold/op-rms_norm_gated-camb/answers.yml").read_text()
    assert "remark: for rms_norm_gated" in answers and "_commit: v1.1.0" in answers


def test_shared_layers_of_two_vendors_are_merged_once(update, scaffold, applied, templates):
    scaffold("op", "rms_norm_gated", "--vendor", "maca", "--no-native-doc", "--template", templates)
    change(applied / OPS, "    Apply Root Mean Square", "    Mine: apply Root Mean Square")
    from .kit import V11

    release(templates, "1.1.0", V11)
    done = update("op-rms_norm_gated-camb", "--json")
    document = json.loads(done.out)
    layer3 = [step for step in document["steps"] if step["path"] == "dlinfer/ops/llm.py"]
    assert done.code == 0 and len(layer3) == 1
    assert set(document["ids"]) == {"op-rms_norm_gated-camb", "op-rms_norm_gated-maca"}
    text = (applied / OPS).read_text()
    assert text.count("One call a vendor") == 1 and "Mine: apply" in text
    for vendor in ("camb", "maca"):
        ops = (applied / f"dlinfer/dlinfer/vendor/{vendor}/{vendor}_ops.py").read_text()
        assert "no native call is known yet" in ops
