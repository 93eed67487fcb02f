"""OP014: a misspelt environment variable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher

from generator.survey.environment import Variable, confirmed, read_variables
from generator.survey.layers import SCOPE, Layers

from .finding import WARNING, Finding, Place
from .rule import Case, Rule, register

_L1 = "lmdeploy:lmdeploy/pytorch/backends/dlinfer/f.py"
_CAMB = "dlinfer:dlinfer/vendor/camb/camb_ops.py"


@register
class Environment(Rule):
    """`os.getenv("DLINER_X")` never finds what users set as `DLINFER_X`: the switch does nothing, in silence.

    The first word of every environment variable that the code reads is compared with the ones that are read more often:
    one that is almost the same is a warning.
    """

    id = "OP014"
    title = "environment variables are spelt alike"
    severity = WARNING
    needs = ()
    VALID = (
        Case("one spelling", {_L1: 'import os\n\nos.getenv("DLINFER_X")\nos.environ["DLINFER_Y"]\n'}),
        Case("other words", {_L1: 'import os\n\nos.getenv("LMDEPLOY_X")\nos.getenv("RANK")\n'}),
    )
    INVALID = (
        Case(
            "a letter is missing",
            {
                _L1: 'import os\n\nos.getenv("DLINER_X")\n',
                _CAMB: 'import os\n\nos.getenv("DLINFER_Y")\nos.environ.get("DLINFER_Z")\n',
            },
            ("warning lmdeploy/pytorch/backends/dlinfer/f.py:3",),
            ("DLINFER_X",),
        ),
    )

    def find(self, picture: Layers) -> Iterator[Finding]:
        variables = [v for repo, shelf in picture.shelves.items() for v in read_variables(shelf, SCOPE[repo])]
        words = Counter({word: len(names) for word, names in _by_word(variables).items()})
        for variable in variables:
            word = variable.word
            meant = next((w for w, n in words.most_common() if n > words[word] and _close(word, w)), None)
            if meant and "_" in variable.name and confirmed(variable, picture.shelves[variable.repo]):
                name = meant + variable.name.removeprefix(word)
                message = f"the environment variable `{variable.name}` is spelt unlike its {words[meant]} siblings"
                place = Place(variable.repo, variable.path, variable.line)
                yield self.finding(place, variable.name, message, f"write {name}, if that is what is meant")


def _by_word(variables: list[Variable]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for variable in variables:
        found.setdefault(variable.word, set()).add(variable.name)
    return found


def _close(word: str, other: str) -> bool:
    return word != other and len(other) > 4 and SequenceMatcher(None, word, other).ratio() >= 0.85
