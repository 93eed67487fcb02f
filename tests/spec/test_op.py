"""A declaration prints and parses back to itself, and what is inconsistent is refused by name."""

import pytest
from hypothesis import given

from generator.spec.errors import SpecError
from generator.spec.op import OpSpec
from tests.strategies import specs


@given(specs())
def test_round_trip(spec):
    assert OpSpec.parse(str(spec)) == spec


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("f(x: Tensor, y: int = 1, z: int) -> Tensor", "`z` has no default but follows `y`"),
        ("f(x: Tensor, x: int) -> Tensor", "two parameters named `x`"),
        ("f(f: Tensor) -> Tensor", "the op's own name"),
        ("f() -> Tensor", "no parameters"),
        ("f(x: Tensor) -> Tensor like {y}", "no tensor parameter `y`"),
        ("f(x: Tensor) -> Tuple[Tensor, Tensor] like {x}", "returns 2 value(s), but 1 shape source(s)"),
        ("f(x: Foo) -> Tensor", "no op schema knows the type `Foo`"),
        ("f(x: Tensor) -> Foo", "cannot return `Foo`"),
        ("f(x: torch.dtype = torch.int8) -> Tensor", "does not survive the exec"),
        ("f(x: float = inf) -> Tensor", "does not survive the exec"),
        ('f(x: str = "a\'b") -> Tensor', "does not survive the exec"),
        ("f(x: int = 1.5) -> Tensor", "is no int"),
        ("f(x: bool = 1) -> Tensor", "is no bool"),
        ("class(x: Tensor) -> Tensor", "keyword"),
        ("print(x: Tensor) -> Tensor", "builtin"),
        ("../x(x: Tensor) -> Tensor", "cannot be the name of an op"),
        ("X(x: Tensor) -> Tensor", "cannot be the name of an op"),
        ("f(self: Tensor) -> Tensor", "cannot be named `self`"),
        ("f(x y: Tensor) -> Tensor", "is no parameter"),
        ("nonsense", "declares no op"),
    ],
)
def test_refused(text, says):
    with pytest.raises(SpecError) as caught:
        OpSpec.parse(text)
    assert says in caught.value.what and caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("torch.Tensor", "Tensor"),
        ("Tensor | None", "Optional[Tensor]"),
        ("None | int", "Optional[int]"),
        ("list[int]", "Sequence[int]"),
        ("typing.Optional[torch.Tensor]", "Optional[Tensor]"),
        ("Sequence[Optional[Tensor]]", "Sequence[Optional[Tensor]]"),
    ],
)
def test_types_in_any_spelling(written, meant):
    assert OpSpec.parse(f"f(x: {written}) -> Tensor").params[0].type.text == meant


def test_a_tensor_with_the_default_none_is_optional():
    assert str(OpSpec.parse("f(x: Tensor = None) -> Tensor").params[0]) == "x: Optional[Tensor] = None"
