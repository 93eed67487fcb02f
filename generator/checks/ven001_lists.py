"""VEN001: the lists that say which vendors there are."""

from __future__ import annotations

from collections.abc import Iterator

from generator.survey.layers import Layers
from generator.survey.vendor_lists import VendorList, read_vendor_lists

from .finding import ERROR, NOTE, Finding, Place
from .rule import Case, Rule, register

_CAMB = {"dlinfer:dlinfer/vendor/camb/__init__.py": "", "dlinfer:dlinfer/vendor/maca/__init__.py": ""}
_GRAPH = "dlinfer:dlinfer/framework/lmdeploy_ext/cudagraph/__init__.py"
_FILE = "dlinfer:dlinfer/framework/lmdeploy_ext/cudagraph/{}_cudagraph.py"


def _list(*vendors: str) -> str:
    return (
        f"import importlib\n\ngraph_vendor = {list(vendors)!r}\n\n\ndef load(v):\n"
        f'    importlib.import_module(f".{{v}}_cudagraph", __package__)\n'
    )


@register
class VendorLists(Rule):
    """Which vendor's patches, graph methods and quantisation are loaded is said by lists of names. A vendor that has
    the file and is not in the list gets none of it, without a word; a name whose file is missing is an ImportError on
    that vendor. Both are errors. A name in a list without a package under `dlinfer/vendor` is dead, and a note; so is
    a vendor that has neither file nor entry.
    """

    id = "VEN001"
    title = "every vendor list names the vendors that have its file"
    needs = ("dlinfer",)
    reads = ("dlinfer:dlinfer/framework/", "dlinfer:dlinfer/vendor/")
    VALID = (
        Case(
            "all listed",
            {**_CAMB, _GRAPH: _list("camb", "maca"), _FILE.format("camb"): "", _FILE.format("maca"): ""},
        ),
    )
    INVALID = (
        Case(
            "a file that no list names",
            {**_CAMB, _GRAPH: _list("maca"), _FILE.format("camb"): "", _FILE.format("maca"): ""},
            ("error dlinfer/framework/lmdeploy_ext/cudagraph/__init__.py:3",),
            ("`camb`",),
        ),
        Case(
            "a name without a file",
            {**_CAMB, _GRAPH: _list("camb", "maca"), _FILE.format("camb"): ""},
            ("error dlinfer/framework/lmdeploy_ext/cudagraph/__init__.py:3",),
            ("maca_cudagraph.py",),
        ),
        Case(
            "a vendor that is gone, and one without both",
            {**_CAMB, _GRAPH: _list("camb", "ppu"), _FILE.format("camb"): "", _FILE.format("ppu"): ""},
            (
                "note dlinfer/framework/lmdeploy_ext/cudagraph/__init__.py:3",
                "note dlinfer/framework/lmdeploy_ext/cudagraph/__init__.py:3",
            ),
        ),
    )

    def find(self, picture: Layers) -> Iterator[Finding]:
        for one in read_vendor_lists(picture.dlinfer):
            for vendor in one.listed:
                if vendor not in picture.vendors:
                    message = f"`{one.name}` lists `{vendor}`, which has no package under dlinfer/vendor"
                    yield self._finding(one, vendor, message, "remove the name", NOTE)
                elif vendor not in one.having:
                    message = f"`{one.name}` lists `{vendor}`, and there is no {one.file(vendor)}: ImportError there"
                    yield self._finding(one, vendor, message, "add the file, or remove the name", ERROR)
            for vendor in picture.vendors:
                if vendor not in one.listed:
                    there = vendor in one.having
                    message = f"`{one.name}` does not list `{vendor}`"
                    message += f": {one.file(vendor)} is never loaded" if there else ", which has no file for it either"
                    next = f'add "{vendor}" to `{one.name}`' if there else "nothing, if the vendor needs none"
                    yield self._finding(one, vendor, message, next, ERROR if there else NOTE)

    def _finding(self, one: VendorList, vendor: str, message: str, next: str, severity: str) -> Finding:
        place = Place("dlinfer", one.path, one.line)
        return self.finding(place, vendor, message, next, severity=severity, vendors=(vendor,))
