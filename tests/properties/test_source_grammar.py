"""Any Python program: it comes back byte for byte or is refused, and what is put into it comes out again."""

from __future__ import annotations

import hypothesmith
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from generator.source.definition import Definition
from generator.source.errors import AnchorMissing, Taken, Unparsable
from generator.source.export import Export
from generator.source.import_from import ImportFrom
from generator.source.statement import Statement
from generator.source.text import Source
from tests.source.kit import assert_laws

INSERTIONS = (
    Definition("# about\n@dec\ndef scaffold_new(x):\n    return x"),
    ImportFrom(".scaffold_m", "scaffold_n"),
    Export("scaffold_new"),
    Statement("", "scaffold_a.b = 1"),
)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(code=hypothesmith.from_grammar(), newline=st.sampled_from(["\n", "\r\n"]))
def test_any_program(code, newline):
    data = code.replace("\r\n", "\n").replace("\n", newline).encode("utf-8", "surrogatepass")
    try:
        source = Source.parse(data, "a.py")
    except Unparsable as refused:
        assert (refused.where or "").startswith("a.py")
        return
    assert source.data == data
    fitting = []
    for insertion in INSERTIONS:
        try:
            compile(insertion.insert(source).data, "a.py", "exec", dont_inherit=True)
        except (AnchorMissing, Taken, SyntaxError, ValueError):
            continue  # the program was no valid file before either, or has no such place
        fitting.append(insertion)
    assert_laws(source, *fitting[:3])
