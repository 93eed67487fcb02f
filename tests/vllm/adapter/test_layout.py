"""Which key fills which slot, and that nothing is lost or guessed."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from generator.survey.vllm_symbols import read_symbols
from generator.survey.vllm_tree import SourceTree
from generator.vllm.adapter.compose import compose
from generator.vllm.adapter.layout import read_layout
from generator.vllm.adapter.slots import ATTENTION, MLP
from generator.vllm.analysis.analysis import analyse
from generator.vllm.checkpoint.checkpoint import read_checkpoint

from .kit import CONFIG, ENDS, NAMES, checkpoint, keys, vllm


def composed(folder, config=CONFIG, shapes=None, code=None, **files):
    analysis = analyse(read_checkpoint(checkpoint(folder / "checkpoint", config, shapes, **files)))
    return compose(analysis, read_symbols(SourceTree(vllm(folder / "vllm"))), code)


def todos(adapter):
    return {todo.name for todo in adapter.log.todos}


def test_a_plain_decoder_has_no_todo_and_every_key_a_rule(tmp_path):
    adapter = composed(tmp_path)
    assert not adapter.log.todos
    assert sum(rule.count for rule in adapter.rules) == len(keys())
    assert all(rule.target for rule in adapter.rules)


def test_a_key_that_nothing_knows_is_a_todo_of_the_loader(tmp_path):
    shapes = keys(NAMES | {"self_attn.mystery": [4, 64]})
    adapter = composed(tmp_path, shapes=shapes)
    assert [(t.name, t.place) for t in adapter.log.todos] == [("key model.layers.*.self_attn.mystery.weight", "load")]


def test_a_number_of_the_configuration_that_nothing_knows_is_a_todo(tmp_path):
    assert todos(composed(tmp_path, CONFIG | {"my_scale": 0.5})) == {"config.my_scale"}
    assert not todos(
        composed(tmp_path / "off", CONFIG | {"my_switch": False, "my_null": None, "initializer_range": 0.1})
    )


def test_norms_that_are_known_by_no_name_are_a_todo(tmp_path):
    names = {k: v for k, v in NAMES.items() if "norm" not in k} | {
        "input_layernorm": [64],
        "ffn_norm": [64],
        "norm1": [64],
    }
    assert todos(composed(tmp_path, shapes=keys(names))) == {"two modules for norm.attn_pre"}
    names = {k: v for k, v in NAMES.items() if "norm" not in k} | {"input_layernorm": [64], "post_mlp_layernorm": [64]}
    assert todos(composed(tmp_path / "b", shapes=keys(names))) == {"norm placement"}


def test_one_norm_may_be_a_parallel_layer_or_something_else(tmp_path):
    names = {k: v for k, v in NAMES.items() if k != "post_attention_layernorm"}
    assert todos(composed(tmp_path, shapes=keys(names))) == {"one norm in a layer"}


def test_a_fused_projection_of_unclear_rows_is_a_todo(tmp_path):
    names = {k: v for k, v in NAMES.items() if k[:12] not in ("self_attn.q_", "self_attn.k_", "self_attn.v_")}
    clear = composed(tmp_path / "a", shapes=keys(names | {"self_attn.qkv_proj": [256, 64]}))
    unclear = composed(tmp_path / "b", shapes=keys(names | {"self_attn.query_key_value": [256, 64]}))
    assert todos(clear) == set() and todos(unclear) == {"rows of query_key_value"}


def test_a_tied_head_and_layers_of_multi_token_prediction_are_left_out_with_a_reason(tmp_path):
    config = CONFIG | {"tie_word_embeddings": True, "num_nextn_predict_layers": 1}
    shapes = keys(layers=3) | {"model.layers.2.eh_proj.weight": [64, 128]}
    adapter = composed(tmp_path, config, shapes)
    left = {rule.source: (rule.count, rule.why) for rule in adapter.rules if rule.target is None}
    assert left["lm_head.weight"] == (1, "tied: the output head is the embedding")
    assert left["model.layers.*.self_attn.q_proj.weight"][0] == 1
    assert sum(rule.count for rule in adapter.rules) == len(shapes)
    drops = [drop["regex"] for drop in adapter.answers["drops"]]
    assert any(re.search(regex, "model.layers.2.eh_proj.weight") for regex in drops)
    assert not any(re.search(regex, "model.layers.1.mlp.up_proj.weight") for regex in drops)


def test_dense_layers_are_those_that_the_keys_show(tmp_path):
    moe = {f"mlp.experts.{e}.{p}_proj": [8, 8] for e in range(2) for p in ("gate", "up", "down")} | {
        "mlp.gate": [2, 64]
    }
    attention = {k: v for k, v in NAMES.items() if "mlp" not in k}
    shapes = keys(layers=1) | {k.replace("layers.0", "layers.1"): v for k, v in keys(attention | moe, layers=1).items()}
    config = CONFIG | {"num_experts": 2, "num_experts_per_tok": 1, "moe_intermediate_size": 8, "norm_topk_prob": True}
    by_field = composed(tmp_path / "a", config | {"first_k_dense_replace": 1}, shapes)
    by_number = composed(tmp_path / "b", config, shapes)
    assert by_field.answers["moe"]["where"] == "layer_idx >= config.first_k_dense_replace"
    assert (by_number.answers["moe"]["where"], by_number.answers["moe"]["layers"]) == ("layer_idx in MOE_LAYERS", [1])
    assert not todos(by_field) and not todos(by_number)


def test_experts_whose_weights_may_or_may_not_be_normalised_are_a_todo(tmp_path):
    moe = {f"mlp.experts.{e}.{p}_proj": [8, 8] for e in range(2) for p in ("gate", "up", "down")} | {
        "mlp.gate": [2, 64]
    }
    names = {k: v for k, v in NAMES.items() if "mlp" not in k} | moe
    config = CONFIG | {"num_experts": 2, "num_experts_per_tok": 1, "moe_intermediate_size": 8}
    assert todos(composed(tmp_path, config, keys(names))) == {"norm_topk_prob"}


pick = st.sampled_from
ALIASES = {slot: names.split() for slot, names in (ATTENTION | MLP).items()}


@settings(max_examples=60, deadline=None)
@given(
    st.fixed_dictionaries({slot: pick(ALIASES[slot]) for slot in ("q", "k", "v", "o", "gate", "up", "down")}),
    pick(["model.layers", "transformer.h", "backbone.blocks"]),
    pick(["self_attn", "attn", "attention"]),
    pick(["mlp", "feed_forward", "ffn"]),
)
def test_renames_bring_every_key_to_its_parameter(tmp_path_factory, aliases, stack, attention, feed):
    folder = tmp_path_factory.mktemp("renamed")
    names = {f"{attention}.{aliases[s]}": [64, 64] for s in ("q", "k", "v", "o")}
    names |= {f"{feed}.{aliases[s]}": [96, 64] for s in ("gate", "up", "down")}
    names |= {"input_layernorm": [64], "post_attention_layernorm": [64]}
    shapes = keys(names, ENDS, stack=stack)
    adapter = composed(folder, shapes=shapes)
    assert not adapter.log.todos
    wanted = {f"model.layers.{i}.{n}.weight" for i in range(2) for n in NAMES} | set(ENDS)
    assert {_renamed(key, adapter.answers["renames"]) for key in shapes} == wanted


def _renamed(key, renames):
    for source, target in renames:
        key = re.sub(source, target, key)
    return key


def test_the_layout_of_no_keys_is_empty(tmp_path):
    analysis = analyse(read_checkpoint(checkpoint(tmp_path, shapes={})))
    assert read_layout(analysis).weights == {}
