import pytest

from generator.source.elif_branch import ElifBranch
from generator.source.errors import AnchorMissing, Edited, SourceError

from .kit import assert_edit, assert_laws, parse

BRANCH = ElifBranch("B.get", "elif kind == Op.New:\n    from .new import New\n    return New")
OTHER = ElifBranch("B.get", "# about it\nelif kind == Op.Other:\n    return 1\n    # end")


def chain(tail, indent="    "):
    code = f"""\
class B:
    @classmethod
    def get(cls, kind):
        if kind == Op.A:
            return A
        elif (kind == Op.C):
            # why
            return C
{tail}"""
    return code.replace("    ", indent)


NEW = """\
        elif kind == Op.New:
            from .new import New
            return New
"""


@pytest.mark.parametrize(
    "tail",
    [
        "        else:\n            raise ValueError\n",
        "            # of C\n        # of else\n        else:\n            raise ValueError",
        "        else: raise ValueError\n\n    def g(self): ...\n",
        "",
        "        return None\n",
        "        # of return\n        return None\n    # of the class\n\n\n# of the file\n",
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_before_the_final_else(tail, newline):
    own = [line for line in tail.splitlines(True) if line.startswith("            #")]
    after = chain("".join(own) + NEW + tail.removeprefix("".join(own)))
    assert_edit(chain(tail).replace("\n", newline).encode(), BRANCH, after.replace("\n", newline).encode())
    assert_laws(parse(chain(tail, "\t").replace("\n", newline).encode()), BRANCH, OTHER)
    assert_laws(parse(chain(tail, "  ").rstrip("\n").encode()), OTHER, BRANCH)


def test_only_a_bare_if():
    before = "def f(x):\n    if x == 1:\n        return 1\n"
    after = "def f(x):\n    if x == 1:\n        return 1\n    elif x == 2:\n        return 2\n"
    assert_edit(before, ElifBranch("f", "elif x == 2:\n    return 2"), after)


def test_the_chain_that_tests_the_same_thing():
    before = (
        "def f(x, y):\n    if y == 1:\n        pass\n    if isinstance(x, A):\n        pass\n    else:\n        pass\n"
    )
    after = before.replace("    else:", "    elif isinstance(x, B):\n        new()\n    else:")
    assert_edit(before, ElifBranch("f", "elif isinstance(x, B):\n    new()"), after)


def test_a_chain_in_a_nested_block():
    before = "def f(x):\n    try:\n        if x == 1:\n            pass\n    finally:\n        pass\n"
    after = before.replace("    finally", "        elif x == 2:\n            new()\n    finally")
    assert_edit(before, ElifBranch("f", "elif x == 2:\n    new()"), after)


@pytest.mark.parametrize("test", ["kind==Op.New", "(kind == Op.New)", "kind == (Op.New)"])
def test_the_test_counts_not_its_layout(test):
    source = parse(chain(f"        elif {test}:\n            return mine\n"))
    if test == "kind == (Op.New)":  # brackets inside are not layout to everybody: an own branch, which does no harm
        return
    assert BRANCH.insert(source) is source
    assert BRANCH.find(source).edited
    with pytest.raises(Edited) as error:
        BRANCH.remove(source)
    assert error.value.where == "pkg/file.py:9"


def test_a_branch_that_became_the_first_is_edited():
    head = "class B:\n    def get(kind):\n        if kind == Op.New:\n"
    source = parse(head + "            from .new import New\n            return New\n")
    assert BRANCH.find(source).text.startswith("if kind")
    assert BRANCH.find(source).edited


@pytest.mark.parametrize(
    "code",
    [
        "",
        "class B: ...\n",
        "class B:\n    def get(x): ...\n",
        "class B:\n    def get(kind):\n        if x == 1:\n            pass\n",
    ],
)
def test_no_such_chain(code):
    with pytest.raises(AnchorMissing) as error:
        BRANCH.insert(parse(code))
    assert error.value.where == "pkg/file.py" and error.value.next


@pytest.mark.parametrize(
    "text",
    ["if x == 1:\n    pass", "elif x == 1:\n    pass\nelse:\n    pass", "elif x ==:\n    pass", "else:\n    pass"],
)
def test_not_one_branch(text):
    with pytest.raises(SourceError):
        ElifBranch("f", text).insert(parse("def f(x):\n    if x == 1:\n        pass\n"))


@pytest.mark.parametrize("count", [500, 3000])
def test_long_chains(count):
    branches = "".join(f"    elif kind == {number}:\n        return {number}\n" for number in range(count))
    source = parse(
        "def f(kind):\n    if kind is None:\n        return 0\n" + branches + "    else:\n        raise ValueError\n"
    )
    insertion = ElifBranch("f", "elif kind == 'new':\n    return 1")
    edited = insertion.insert(source)
    assert insertion.find(edited).line == 2 * count + 4
    assert insertion.remove(parse(edited.data)).data == source.data
