"""G007: a cached function that outlives what it built."""

from __future__ import annotations

from collections.abc import Iterator

from generator.survey.cached import stale_caches
from generator.survey.layers import Layers

from .at import vendors_of_path
from .finding import WARNING, Finding, Place
from .rule import Case, Rule, register

_PATH = "dlinfer:dlinfer/framework/lmdeploy_ext/cudagraph/ascend_cudagraph.py"


def _file(clear: str) -> str:
    return (
        "import functools\n\nparams = None\n\n\n@functools.lru_cache\ndef sizes(n):\n"
        "    set_params(n)\n    return [n]\n\n\n"
        "def set_params(n):\n    global params\n    params = n\n\n\n"
        f"def clear():\n    global params\n    params = None\n{clear}"
    )


@register
class StaleCache(Rule):
    """A function under `lru_cache` sets a module's globals as it runs; another one clears these globals. The next call
    of the cached function returns from its cache and sets nothing: a second capture runs on what was cleared.

    The clearing function must call `cache_clear()` of every cached function that sets, itself or through a function of
    the same file, a global that it sets to None.
    """

    id = "G007"
    title = "who clears the globals of a cached function clears its cache"
    severity = WARNING
    needs = ("dlinfer",)
    reads = ("dlinfer:dlinfer/",)
    VALID = (Case("both are cleared", {_PATH: _file("    sizes.cache_clear()\n")}),)
    INVALID = (
        Case(
            "the cache stays",
            {_PATH: _file("")},
            ("warning dlinfer/framework/lmdeploy_ext/cudagraph/ascend_cudagraph.py:17",),
            ("sizes.cache_clear()",),
        ),
    )

    def find(self, picture: Layers) -> Iterator[Finding]:
        for module in picture.modules:
            if module.reading.repo != "dlinfer":
                continue
            for one in stale_caches(module.reading):
                message = (
                    f"`{one.clear}` clears `{one.name}`, and the cached `{one.cached}` that sets it keeps its results"
                )
                next = f"call {one.cached}.cache_clear() in `{one.clear}`"
                path = module.reading.path
                other = Place("dlinfer", path, one.cached_line)
                more = {"other": other, "vendors": vendors_of_path(path)}
                yield self.finding(Place("dlinfer", path, one.line), one.cached, message, next, **more)
