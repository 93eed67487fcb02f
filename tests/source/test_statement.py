import pytest

from generator.source.definition import Definition
from generator.source.errors import AnchorMissing, Edited
from generator.source.statement import Statement

from .kit import assert_edit, assert_laws, parse

CODE = '''\
def make(self):
    """Doc."""
    buffers = {}
    buffers["a"] = torch.zeros(
        1,
    )
    if self.use_mrope:
        buffers["m"] = 1

    # all of them
    return buffers


make.x = 1
'''
NEW = 'buffers["new"] = 1'


def test_above_the_final_return():
    assert_edit(CODE, Statement("make", NEW), CODE.replace("= 1\n\n    # all", f"= 1\n    {NEW}\n\n    # all"))


def test_behind_a_statement_by_its_beginning():
    after = CODE.replace("    if self", f"    {NEW}\n    if self")
    assert_edit(CODE, Statement("make", NEW, after='buffers["a"]=torch.zeros(1'), after)


def test_before_a_statement_comments_stay_with_it():
    assert_edit(CODE, Statement("make", NEW, before="return"), CODE.replace("    # all", f"    {NEW}\n    # all"))


def test_in_a_nested_block():
    after = CODE.replace('["m"] = 1\n', f'["m"] = 1\n        {NEW}\n')
    assert_edit(CODE, Statement("make", NEW, after='buffers["m"]'), after)


def test_module_level():
    assert_edit(CODE, Statement("", "make.y = 2"), CODE + "make.y = 2\n")
    assert_edit(
        CODE, Statement("", "make.y = 2", after="def make"), CODE.replace("\n\n\nmake", "\nmake.y = 2\n\n\nmake")
    )


def test_nested_function():
    code = "def f():\n    def inner():\n        return 1\n    return inner\n"
    after = code.replace("        return 1", "        new()\n        return 1")
    assert_edit(code, Statement("f.inner", "new()"), after)


MANY = Statement("make", '# why\nif is_ssm:\n    buffers["s"] = 1\n\n# then\nbuffers["t"] = 2')


@pytest.mark.parametrize(
    "change", [str, lambda code: code.replace("    ", "\t"), lambda code: code.replace("\n", "\r\n")]
)
def test_any_order(change):
    source = parse(change(CODE).encode())
    assert_laws(source, MANY, Statement("make", NEW), Statement("make", "other = 1", after="buffers"))


def test_an_edited_statement_is_found_by_what_it_assigns():
    source = parse(CODE.replace('buffers["m"] = 1', 'buffers["new"] = 2'))
    assert Statement("make", NEW).insert(source) is source
    assert Statement("make", NEW).find(source).text == 'buffers["new"] = 2'
    with pytest.raises(Edited):
        Statement("make", NEW).remove(source)


def test_several_statements_are_found_with_what_was_put_between():
    source = MANY.insert(parse(CODE))
    source = parse(source.data.decode().replace("    # then", "    mine()\n    # then"))
    assert MANY.find(source).edited and "mine()" in MANY.find(source).text
    assert MANY.insert(source) is source


def test_a_local_name_is_no_evidence_for_several_statements():
    source = parse("def make():\n    n = 1\n    return n\n")
    insertion = Statement("make", 'n = 2\nbuffers["x"] = n')
    assert insertion.find(source) is None
    assert_laws(source, insertion)


def test_calls_are_known_by_their_literal():
    register = Statement("f", 'M.register("A", "a:A")')
    assert register.find(parse('def f():\n    M.register("A", "other:A")\n')).edited
    assert register.find(parse('def f():\n    M.register("B", "a:A")\n')) is None


def test_refusals():
    with pytest.raises(AnchorMissing, match="`gone`"):
        Statement("make", NEW, after="gone").insert(parse(CODE))
    with pytest.raises(AnchorMissing, match="`gone`"):
        Statement("gone", NEW).insert(parse(CODE))
    with pytest.raises(Edited, match="all that is left"):
        Statement("f", "x.y = 1").remove(parse("def f():\n    x.y = 1\n"))


def test_blank_lines_of_its_own():
    """Behind a function of a module, black wants two; they go when the statement goes, whatever was put below."""
    code = "def f():\n    return 1\n"
    patch = Statement("", "C.f = f", blanks="2")
    assert_edit(code, patch, code + "\n\nC.f = f\n")
    assert_laws(parse(code), patch, Statement("", "C.g = f", blanks="2"), Definition("def g():\n    return 2"))
    assert_laws(parse(CODE), Statement("make", "if a.b:\n    m.x = 1", blanks="1"), Statement("make", NEW))


def test_two_blocks_of_one_condition_are_two_things():
    first, second = (Statement("f", f"if meta.is_ssm:\n    m.{name} = 1") for name in "ab")
    assert first.name == "if meta.is_ssm: m.a = 1"
    assert first.name != second.name
    assert_laws(parse("def f():\n    return 1\n"), first, second)
