"""The answers that a patch is rendered from: the target with its signature, and how dlinfer loads it."""

from __future__ import annotations

import re
from typing import Any

from generator.spec.vendor import VENDORS
from generator.survey.bindings import module_imports, module_names
from generator.survey.targets import Target

from .patch_imports import Bound, Needed, passed_on, portable
from .patch_sight import PatchSight
from .previous import read_answers
from .scene import Scene

_STEMS = {"device-patch": "{vendor}", "quant-patch": "{vendor}_awq"}


class PatchAnswers:
    """Answers for one patch, per vendor."""

    def __init__(self, sight: PatchSight, scene: Scene):
        self._sight, self._scene = sight, scene

    def id(self, vendor: str) -> str:
        """The id of the patch."""
        return f"{self._sight.request.kind}-{self._sight.target.dotted}-{vendor}"

    def applied_before(self, vendor: str) -> dict[str, Any] | None:
        """The answers of an earlier run, or None."""
        page = self._scene.ledger.pages["dlinfer"]
        id = self.id(vendor)
        return read_answers(self._scene.tree, "dlinfer", id) if id in page.ids else None

    def of(self, vendor: str) -> dict[str, Any]:
        """All answers for one vendor; those of an earlier run are given again."""
        before = self.applied_before(vendor)
        if before is not None:
            return before
        target = self._sight.target
        common = {"kind": self._sight.request.kind, "repo": "dlinfer", "name": target.dotted, "vendor": vendor}
        return {**self._scene.template.answers, **common, "patch": self._patch(vendor)}

    def _patch(self, vendor: str) -> dict[str, Any]:
        sight, target = self._sight, self._sight.target
        init = sight.init
        path = f"{sight.folder}/{_STEMS[sight.request.kind].format(vendor=vendor)}.py"
        there = self._is_upstream(path)
        style = self._style(vendor, there)
        where = init.path if style == "function" else path
        bound = self._bound(where) if style == "module" else Bound(sight.symbols)
        signature, imports = portable(target.signature, target.home, bound) if target.signature else (None, [])
        holder = bound.without_clash(self._holder(target))
        return {
            "kind": target.kind,
            "binding": target.binding,
            "coroutine": target.is_coroutine,
            "params": [str(p) for p in self._starred(signature)],
            "returns": (signature.returns or "") if signature else "",
            "args": passed_on(signature) if signature else "",
            "has_init": target.kind != "class" or signature is not None,
            "imports": [list(needed) for needed in imports],
            "holder": list(holder),
            "imports_holder": not bound.has(holder),
            "names": list(target.names),
            "title": VENDORS[vendor].title,
            "name": self._free(_replacement(target, vendor.capitalize()), where),
            "original": "original" if style != "module" else self._free(f"_lmdeploy_{_slug(target)}", where),
            "function": self._free(f"patch_{vendor}_{_slug(target)}", where),
            "style": style,
            "path": where,
            "creates": style != "function" and not there,
            "init": init.path,
            "list": init.list_name if style != "function" and not self._listed(vendor) else "",
            "entry": init.entry,
            "after": self._last_call(vendor) if style == "function" else "",
        }

    def _style(self, vendor: str, there: bool) -> str:
        """How the patch is written.

        `function`: in a `patch_*()` function of `__init__.py`, as dlinfer does since August 2025; a vendor that has no
        module yet gets one, but what is stacked on a patch must be applied after it, and modules come first.
        `module`: in the vendor's module, defined and assigned at its top level, as before.
        `wrapped`: in a function of the vendor's module, because the module assigns the same target already.
        """
        stacked = self._sight.patched(vendor) is not None
        if self._sight.init.era == "functions" and ((there and vendor in self._sight.init.listed) or stacked):
            return "function"
        return "wrapped" if stacked else "module"

    def _listed(self, vendor: str) -> bool:
        """True if upstream lists the vendor; an entry of an earlier run is shared."""
        entries = self._scene.ledger.pages["dlinfer"].entries.values()
        ours = any((e.insertion or {}).get("item") == vendor for e in entries if e.path == self._sight.init.path)
        return vendor in self._sight.init.listed and not ours

    def _free(self, name: str, path: str) -> str:
        """A name that the file does not bind already, by what upstream wrote."""
        taken = module_names(self._scene.workspace["dlinfer"], path)
        return f"{name}_stacked" if name in taken and not self._ours(name, path) else name

    def _bound(self, path: str) -> Bound:
        """The names that upstream binds in a file; what earlier runs import there is imported again, and shared."""
        checkout = self._scene.workspace["dlinfer"]
        entries = [e for e in self._scene.ledger.pages["dlinfer"].entries.values() if e.path == path]
        ours = {(e.insertion or {}).get("alias") or (e.insertion or {}).get("item") for e in entries}
        ours |= {(e.insertion or {}).get("module") for e in entries}
        imports = {n: i.target for n, i in module_imports(checkout, path).items() if n not in ours}
        names = {n for n in module_names(checkout, path) if n not in ours and n not in imports}
        return Bound(self._sight.symbols, imports, frozenset(names))

    def _holder(self, target: Target) -> Needed:
        """What to import, as (module, name, ""), so that the target is an attribute of it: its class or its module."""
        typed = self._sight.request.target.split(".")
        by_module = target.kind == "method" and len(typed) > 2 and not typed[0] == self._sight.shelf.package.name
        package, _, module = target.module.rpartition(".")
        if target.kind != "method" or by_module:
            return (package, module, "")
        return (target.module, target.names[0], "")

    def _starred(self, signature) -> list[str]:
        """The parameters as text, with the `*` and `/` that their kinds need."""
        text = str(type(signature)(signature.params)) if signature else "()"
        return _split(text[1:-1])

    def _last_call(self, vendor: str) -> str:
        """The last call for this vendor alone, if upstream makes one: then there is a block to go to."""
        calls = self._sight.init.calls.get(vendor, ())
        upstream = [c for c in calls if not self._ours(c, self._sight.init.path)]
        return calls[-1] if upstream else ""

    def _ours(self, text: str, path: str) -> bool:
        """True if an earlier run wrote this text into a file."""
        entries = self._scene.ledger.pages["dlinfer"].entries.values()
        return any(text in (e.insertion or {}).get("text", "") for e in entries if e.path == path)

    def _is_upstream(self, path: str) -> bool:
        """True if a module is there and no earlier run created it."""
        created = (path, "create") in self._scene.ledger.pages["dlinfer"].entries
        return self._scene.tree.exists("dlinfer", path) and not created


def _replacement(target: Target, prefix: str) -> str:
    """The name of what replaces a target, as dlinfer calls such things: `AscendAwqLinear_create_weights`."""
    if target.kind == "class":
        return f"{prefix}{target.names[0]}"
    return f"{prefix.lower()}_{target.names[0]}" if target.kind == "function" else f"{prefix}{'_'.join(target.names)}"


def _slug(target: Target) -> str:
    """The target's own names in snake case: `state_cache_engine_init_caches`."""
    words = [re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", n).lower() for n in target.names]
    return "_".join(w.strip("_") for w in words)


def _split(text: str) -> list[str]:
    """Split a parameter list at the commas that are not inside brackets or quotes."""
    parts, depth, quote, current = [], 0, "", ""
    for char in text:
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        if char == "," and not depth and not quote:
            parts.append(current.strip())
            current = ""
        else:
            current += char
    return [*parts, current.strip()] if current.strip() else parts
