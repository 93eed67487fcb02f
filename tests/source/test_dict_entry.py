import pytest

from generator.source.dict_entry import DictEntry
from generator.source.errors import AnchorMissing, Edited, SourceError

from .kit import assert_edit, assert_laws, parse

REGISTRY = """\
_MODELS = {
    # [Text-only]
    "BertModel": ("bert", "Bert"),  # why
    # about Llama
    "LlamaModel": ("llama", "Llama"),
    "LlamaOtherModel": (
        "llama",
        "LlamaOther",
    ),
    # [Multimodal]
    "Qwen2VLModel": ("qwen2_vl", "Qwen2VL"),
    **{k: (m, a) for k, (m, a) in _OTHER.items()},
    # "Dangling": 1,
}
"""


def entry(key, text='("m", "C")', section=None):
    return DictEntry("_MODELS", key, text, section)


@pytest.mark.parametrize(
    ("key", "section", "above"),
    [
        ("LlamaNewModel", None, '"LlamaModel": ("llama", "Llama"),\n'),
        ("LlamaAModel", None, "why\n"),
        ("Qwen3Model", None, '("qwen2_vl", "Qwen2VL"),\n'),
        ("AModel", "[Text-only]", "# [Text-only]\n"),
        ("ZModel", "Text-only", "    ),\n"),
        ("ZModel", "# [Multimodal]", '("qwen2_vl", "Qwen2VL"),\n'),
        ("AModel", "multimodal", "# [Multimodal]\n"),
    ],
)
def test_place(key, section, above):
    new = f'    "{key}": ("m", "C"),\n'
    assert_edit(REGISTRY, entry(key, section=section), REGISTRY.replace(above, above + new))


def test_the_value_is_indented_as_the_entry():
    text = '(\n    "llama",\n    "C",\n)'
    new = '    "LlamaNew": (\n        "llama",\n        "C",\n    ),\n'
    above = '("llama", "Llama"),\n'
    insertion = entry("LlamaNew", text)
    assert_edit(REGISTRY, insertion, REGISTRY.replace(above, above + new))
    assert insertion.find(insertion.insert(parse(REGISTRY))).text == text


@pytest.mark.parametrize(
    "code",
    [
        "{}",
        "{ }",
        "{\n}",
        "{\n    # c\n}",
        "{'x': 1}",
        "{'x': 1, }",
        "{\n    'x': 1\n}",
        "{\n    'x': 1,  # c\n}",
        "{'x': 1,\n 'y': 2}",
        "{\n    'x': 1, 'y': 2,\n    'z': 3\n}",
        "{**a, 1: 2}",
    ],
)
def test_layouts(code):
    entries = [entry("Bcd"), entry("'Abc'", "{\n    'k': ['v'],\n}"), entry("Bce", "1")]
    for newline in ("\n", "\r\n"):
        assert_laws(parse(f"_MODELS = {code}".replace("\n", newline).encode()), *entries)


def test_in_a_class():
    before = "class C:\n    packed: dict[str, list] = {\n        'a': ['b'],\n    }\n"
    after = before.replace("    }", "        'qkv': [\n            'q',\n        ],\n    }")
    assert_edit(before, DictEntry("C.packed", "qkv", "[\n    'q',\n]"), after)


def test_any_order():
    assert_laws(parse(REGISTRY), entry("LlamaN1"), entry("LlamaN2"), entry("Zed", section="[Text-only]"), entry("Aaa"))


def test_an_edited_value_stays():
    source = parse(REGISTRY)
    for insertion in (entry("LlamaModel"), entry("BertModel", '("bert", "Bert")')):
        assert insertion.insert(source) is source
        with pytest.raises(Edited):
            insertion.remove(source)


def test_refusals():
    with pytest.raises(AnchorMissing, match=r"\[Audio\]"):
        entry("A", section="[Audio]").insert(parse(REGISTRY))
    with pytest.raises(AnchorMissing, match="_MODELS"):
        entry("A").insert(parse("_MODELS = dict(a=1)\n"))
    for text in ("1, 'b': 2", "1,", "", "x for"):
        with pytest.raises(SourceError):
            entry("A", text).insert(parse(REGISTRY))


def test_a_registry_of_ten_thousand_entries():
    lines = "".join(f'    "Model{number:05}": ("m{number}", "C"),\n' for number in range(10_000))
    source = parse(f"_MODELS = {{\n{lines}}}\n")
    insertion = entry("Model05000x")
    edited = insertion.insert(source)
    assert insertion.find(edited).line == 5003
    assert insertion.remove(edited).data == source.data
