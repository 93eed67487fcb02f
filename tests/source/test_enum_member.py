import pytest

from generator.source.dataclass_field import DataclassField
from generator.source.enum_member import EnumMember
from generator.source.errors import AnchorMissing, Edited, SourceError, Taken

from .kit import assert_edit, assert_laws, parse

ENUM = """\
class Op(Enum):
    \"\"\"Doc.\"\"\"
    A = auto()
    B = auto()

    # Section
    C = auto()  # why
    # end

    def method(self): ...
"""


def test_behind_the_last_member():
    assert_edit(ENUM, EnumMember("Op", "New = auto()"), ENUM.replace("# why\n", "# why\n    New = auto()\n"))


def test_in_a_section():
    assert_edit(
        ENUM, EnumMember("Op", "New = auto()", "B"), ENUM.replace("B = auto()\n", "B = auto()\n    New = auto()\n")
    )


def test_any_order():
    members = [
        EnumMember("Op", "N1 = auto()", "B"),
        EnumMember("Op", "N2 = auto()"),
        EnumMember("Op", "# x\nN3 = 3", "B"),
    ]
    assert_laws(parse(ENUM), *members)
    assert_laws(parse(ENUM.replace("    ", "\t").replace("\n", "\r\n").encode()), *members)


@pytest.mark.parametrize("body", ["pass", '"""Doc."""', "A = 1", "def f(self): ..."])
def test_small_classes(body):
    assert_laws(parse(f"class Op:\n    {body}"), EnumMember("Op", "N = 1"), EnumMember("Op", "M = 2"))


def test_the_end_of_a_file_without_newline():
    assert_edit("class Op:\n    A = 1", EnumMember("Op", "N = 1"), "class Op:\n    A = 1\n    N = 1")


def test_another_value_is_an_edit():
    source = parse(ENUM.replace("B = auto()", "New = 7"))
    assert EnumMember("Op", "New = auto()").insert(source) is source
    with pytest.raises(Edited):
        EnumMember("Op", "New = auto()").remove(source)


def test_refusals():
    with pytest.raises(Taken):
        EnumMember("Op", "method = auto()").insert(parse(ENUM))
    with pytest.raises(AnchorMissing, match="`Gone`"):
        EnumMember("Op", "New = auto()", "Gone").insert(parse(ENUM))
    with pytest.raises(AnchorMissing, match="`Gone`"):
        EnumMember("Gone", "New = auto()").insert(parse(ENUM))
    with pytest.raises(AnchorMissing, match="line of its header"):
        EnumMember("Op", "New = auto()").insert(parse("class Op: A = 1\n"))
    with pytest.raises(SourceError):
        EnumMember("Op", "A = 1\nB = 2").insert(parse(ENUM))


DATA = """\
@dataclass
class Meta(Base):
    a: int
    b: list = field(default_factory=list)
    c = 1  # no field

    def method(self): ...
"""


def test_a_field_goes_behind_the_last_annotated_one():
    after = DATA.replace("    c = 1", "    new: Tensor = None\n    c = 1")
    assert_edit(DATA, DataclassField("Meta", "new: Tensor = None"), after)


def test_fields_any_order():
    fields = [
        DataclassField("Meta", "# x\nn1: int = 0"),
        DataclassField("Meta", "n2: list = field(\n    default=1,\n)"),
    ]
    assert_laws(parse(DATA), *fields)
    assert_laws(parse("class Meta:\n  pass"), *fields)
