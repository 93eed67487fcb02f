import json

import pytest

from generator.source.base import Insertion
from generator.source.errors import SourceError
from generator.source.export import Export
from generator.source.registry import KINDS, from_dict, insertion_from, to_dict


def test_every_kind_keeps_the_protocol():
    for kind, cls in KINDS.items():
        assert cls.kind == kind
        assert all(hasattr(cls, name) for name in ("name", "anchor", "find", "insert", "remove")), kind


def test_json_round_trip():
    insertion = Export("a", after="b")
    assert from_dict(json.loads(json.dumps(to_dict(insertion)))) == insertion
    assert isinstance(insertion, Insertion)
    assert to_dict(Export("a")) == {"kind": "export", "item": "a"}


@pytest.mark.parametrize(
    ("kind", "values", "what", "after"),
    [
        ("exports", {}, "unknown kind of insertion `exports`", "did you mean `export`"),
        ("export", {"itm": "a"}, "`export` has no field `itm`", "did you mean `item`"),
        ("export", {}, "`export` needs `item`", "item, variable, after"),
    ],
)
def test_wrong_kinds_and_fields_name_the_right_ones(kind, values, what, after):
    with pytest.raises(SourceError) as error:
        insertion_from(kind, values)
    assert error.value.what == what and after in error.value.next
