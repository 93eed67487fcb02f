"""lmdeploy's own calls of what dlinfer replaces, beside the signature that takes them then."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .callables import constructor, signature_for
from .calls import Call
from .classes import called, is_open, method, stored_names
from .patched import Patched
from .scope import Callee, Class
from .signature import Signature
from .sites import Site
from .symbols import Symbol

if TYPE_CHECKING:
    from .layers import Layers

# Only the retired torch.compile path loads these patches.
_RETIRED = "dlinfer/framework/lmdeploy_ext/dynamo/"
_WORD = re.compile(rb"\w\Z")


@dataclass(frozen=True)
class PatchCall:
    """One call.

    Attributes:
        call: as lmdeploy writes it.
        signature: of the replacement, as the caller sees it.
        name: of what is replaced: `Class.method` or `function`.
        at: the line of the replacement's definition.
        path, line: of the call in lmdeploy.
    """

    call: Call
    signature: Signature
    name: str
    at: int
    path: str
    line: int


def read_patch_calls(layers: Layers) -> dict[int, list[PatchCall]]:
    """The calls that reach each patch, by `id` of the `Patched`; those from code that the vendor replaces are left out.

    Patches that only the retired torch.compile path loads have none.
    """
    known = [p for p in layers.patches if p.target is not None and p.node is not None]
    patches = [p for p in known if not p.patch.path.startswith(_RETIRED)]
    by_node = _by_node(patches)
    found: dict[int, list[PatchCall]] = {}
    for site in _sites(layers, patches):
        for patched in by_node.get(_reached(site), ()):
            if not _replaced_too(site, patched, patches):
                found.setdefault(id(patched), []).extend(_calls(site, patched, layers))
    return found


def _by_node(patches: list[Patched]) -> dict[ast.AST, list[Patched]]:
    """Definition of lmdeploy to the patches that replace it, methods of a replaced class included."""
    found: dict[ast.AST, list[Patched]] = {}
    for patched in patches:
        nodes = [patched.target.node]
        if isinstance(patched.node, ast.ClassDef) and isinstance(patched.target.node, ast.ClassDef):
            nodes += [n for n in patched.target.node.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
        for node in nodes:
            found.setdefault(node, []).append(patched)
    return found


def _reached(site: Site) -> ast.AST | None:
    return site.callee.node if site.callee else site.cls.node if site.cls else None


def _sites(layers: Layers, patches: list[Patched]) -> Iterator[Site]:
    """The calls of lmdeploy that may reach a patch: by the name that is called, or in files that know the class."""
    names = {p.patch.target.rpartition(".")[2] for p in patches}
    owners = {_class_name(p) for p in patches} - {None}
    plain = frozenset(n for n in names if not n.startswith("__") and n not in ("forward", "build"))
    # The longest first: an alternation takes the first that fits.
    longest = sorted(owners | plain, key=lambda name: (-len(name), name))
    words = re.compile(b"|".join(re.escape(name.encode()) for name in longest))
    folders = {"/".join(p.patch.target.split(".")[:2]) for p in patches}
    for path in (path for folder in sorted(folders) for path in layers.lmdeploy.list(folder)):
        data = (reading := layers.lmdeploy.open(path)) and reading.data or b""
        found = [(match[0].decode(), match.start()) for match in words.finditer(data) if _is_whole(match, data)]
        if any(word in owners for word, _ in found):
            yield from layers.sites_of(layers.lmdeploy, path)
        elif lines := [
            data.count(b"\n", 0, at) + 1 for word, at in found if data[at + len(word) : at + len(word) + 1] == b"("
        ]:
            yield from layers.sites_named(layers.lmdeploy, path, plain, lines)


def _is_whole(match: re.Match[bytes], data: bytes) -> bool:
    """True for a whole word that is not the name of a definition."""
    before = data[max(match.start() - 4, 0) : match.start()]
    after = data[match.end() : match.end() + 1]
    return not _WORD.search(before) and before != b"def " and not _WORD.match(after)


def _class_name(patched: Patched) -> str | None:
    """The class whose instances must be followed to find the calls: one that is replaced, or whose constructor is."""
    last = patched.patch.target.rpartition(".")[2]
    if isinstance(patched.target.node, ast.ClassDef):
        return last
    special = last.startswith("__") or last in ("forward", "build")
    return patched.owner.name if special and isinstance(patched.owner, Symbol) else None


def _replaced_too(site: Site, patched: Patched, patches: list[Patched]) -> bool:
    """True if the call stands in a function or class that is replaced wherever the patch is applied."""
    wanted = set(patched.patch.vendors)
    for other in patches:
        covers = not other.patch.vendors or (wanted and wanted <= set(other.patch.vendors))
        reading = other.target.module.reading
        if covers and reading.path == site.path and not other.patch.condition:
            if other.target.node.lineno <= site.line <= (other.target.node.end_lineno or 0):
                return True
    return False


def _calls(site: Site, patched: Patched, layers: Layers) -> Iterator[PatchCall]:
    if patched.patch.value_kind == "function":
        signature = patched.caller_view()
        if signature is not None and site.callee is not None:
            if not site.callee.bound and _is_method(patched, site):
                signature = patched.patch.signature
            yield PatchCall(site.call, signature, patched.name, patched.node.lineno, site.path, site.line)
        return
    stand_in = layers.stand_in(patched)
    if stand_in is None:
        return
    taken = _of_class(site, stand_in)
    if taken:
        yield PatchCall(site.call, taken[1], f"{patched.name}{taken[2]}", taken[0], site.path, site.line)


def _is_method(patched: Patched, site: Site) -> bool:
    """True for `Base.method(self, …)`: the caller passes self itself, although the method is no static one."""
    static = "staticmethod" in patched.patch.decorators
    return (
        site.callee.owner is not None
        and not static
        and "." in site.call.callee
        and site.signature.names[:1] == ("self",)
    )


def _of_class(site: Site, stand_in: Class) -> tuple[int, Signature, str] | None:
    """Line, signature and suffix of what the replacing class has for a call of the original."""
    if site.callee is None or site.callee.node.name == "__init__":
        made = constructor(stand_in)
        return (made[0].node.lineno if made and made[0] else stand_in.node.lineno, made[1], "") if made else None
    name = site.callee.node.name
    found: Callee | None = called(stand_in) if name == "__call__" else method(stand_in, name)
    if found is None:
        lacks = not is_open(stand_in) and name not in stored_names(stand_in)
        return (stand_in.node.lineno, Signature(), f".{name}, which it lacks,") if lacks else None
    signature = signature_for(found)
    return (found.node.lineno, signature, f".{name}") if signature else None
