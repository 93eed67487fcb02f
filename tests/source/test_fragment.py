import pytest

from generator.source.elif_branch import ElifBranch
from generator.source.errors import SourceError
from generator.source.export import Export
from generator.source.fragment import Fragment

BRANCH = """\
#@ insert: elif-branch
#@ path: pkg/backend.py
#@ layer: 1
#@ note: from the family
#@ scope: Backend.get
# about it
elif kind == Op.New:
    return New
"""


def test_parse_and_print():
    fragment = Fragment.parse(BRANCH, "f")
    text = "# about it\nelif kind == Op.New:\n    return New"
    assert fragment == Fragment(ElifBranch("Backend.get", text), "pkg/backend.py", "1", "from the family")
    assert str(fragment) == BRANCH
    assert Fragment.parse(BRANCH.replace("\n", "\r\n"), "f") == fragment


def test_fields_only():
    text = "#@ insert: export\n#@ path: a.py\n#@ item: new\n"
    fragment = Fragment.parse(text, "f")
    assert fragment == Fragment(Export("new"), "a.py")
    assert str(fragment) == text


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "no `#@ insert:` line"),
        ("#@ insert: export\n#@ item: a\n", "no `#@ path:` line"),
        ("#@ insert: export\n#@ path: a\n#@ item: a\n#@ item: b\n", "twice"),
        ("#@ insert: export\n#@ path: a\n#@ nonsense\n", "not a `#@ key: value` line"),
        ("#@ insert: export\n#@ path: a\n#@ item: a\ntext\n", "takes no text"),
        ("#@ insert: exprt\n#@ path: a\n", "unknown kind"),
        ("#@ insert: export\n#@ path: a\n#@ scope: a\n", "no field `scope`"),
    ],
)
def test_errors_name_the_file(text, what):
    with pytest.raises(SourceError) as error:
        Fragment.parse(text, "dir/f")
    assert what in error.value.what and error.value.where == "dir/f" and error.value.next
