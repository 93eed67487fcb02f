"""Breaks two real checkouts in small ways, one at a time, and counts how many of the breaks `scaffold check` reports.

    python scripts/mutate.py --workspace DIR [--seed N] [--count N] [--show]

A mutant changes one thing: a parameter is renamed or removed, two are swapped, an argument is dropped or two are
swapped, a registration, an export, a dispatcher branch, a graph statement is dropped, a key is renamed. Whether it
changes what happens is decided by Python itself, not by the tool: the calls of the layer above are bound by
`inspect.signature` before and after, and each mutant says which binding or look-up must have changed. Mutants that
change nothing are left out.

A mutant is caught if the check reports an error or warning that it does not report without the mutant. Nothing is
written.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import os
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from generator.checks.engine import run_rules
from generator.checks.finding import NOTE
from generator.survey import reading
from generator.workspace.find import find_workspace

VENDORS = {
    "ascend": "dlinfer/vendor/ascend/torch_npu_ops.py",
    "camb": "dlinfer/vendor/camb/camb_ops.py",
    "maca": "dlinfer/vendor/maca/maca_ops.py",
}
OPS = "dlinfer/ops/llm.py"
KERNELS = "lmdeploy/pytorch/kernels/dlinfer"
BACKENDS = "lmdeploy/pytorch/backends/dlinfer"
GRAPHS = "dlinfer/framework/lmdeploy_ext/cudagraph"


@dataclass(frozen=True)
class Mutant:
    """One change: its kind, the file as `repo` and `path`, the new text, and what it does in words."""

    kind: str
    repo: str
    path: str
    text: str
    what: str


class Source:
    """A file, its tree, and edits by position."""

    def __init__(self, root: Path, repo: str, path: str):
        self.repo, self.path = repo, path
        self.text = (root / path).read_bytes().decode()
        self.tree = ast.parse(self.text)
        self._starts = [0]
        for line in self.text.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def at(self, line: int, column: int) -> int:
        """The position of a line and a column in bytes."""
        start = self._starts[line - 1]
        rest = self.text[start:].split("\n", 1)[0]
        return start + len(rest.encode()[:column].decode())

    def span(self, node: ast.AST) -> tuple[int, int]:
        """The text of a node."""
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno, node.end_col_offset)

    def replaced(self, *edits: tuple[tuple[int, int], str]) -> str | None:
        """The text with some spans replaced; None if it would not parse."""
        text = self.text
        for (start, end), new in sorted(edits, reverse=True):
            text = text[:start] + new + text[end:]
        try:
            ast.parse(text)
        except SyntaxError:
            return None
        return text

    def lines_of(self, node: ast.AST) -> tuple[int, int]:
        """The whole lines of a statement, its decorators included."""
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
        return self._starts[first - 1], self._starts[node.end_lineno]

    def of(self, node: ast.AST) -> str:
        """The source of a node."""
        start, end = self.span(node)
        return self.text[start:end]


def main() -> int:
    args = _arguments()
    workspace = find_workspace({"workspace": args.workspace}, os.environ, Path.cwd(), ("lmdeploy", "dlinfer"))
    mutants = list(_mutants(workspace.roots))
    random.Random(args.seed).shuffle(mutants)
    # Trees of unchanged files serve all mutants.
    reading.parse = lru_cache(4000)(reading.parse.__wrapped__)
    known = _serious(run_rules(workspace))
    results: Counter[tuple[str, bool]] = Counter()
    for mutant in mutants[: args.count]:
        overlay = {mutant.repo: {mutant.path: mutant.text.encode()}}
        found = run_rules(workspace, overlay=overlay, touched=frozenset({(mutant.repo, mutant.path)}))
        caught = bool(_serious(found) - known)
        results[mutant.kind, caught] += 1
        if args.show and not caught:
            print(f"missed: {mutant.kind}: {mutant.path}: {mutant.what}")
    return _print(results, len(mutants))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workspace", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--show", action="store_true", help="print the mutants that were missed")
    return parser.parse_args()


def _serious(result) -> set[str]:
    return {finding.fingerprint for finding in result.findings if finding.severity != NOTE}


def _print(results: Counter, made: int) -> int:
    kinds = sorted({kind for kind, _ in results})
    for kind in kinds:
        caught, all_ = results[kind, True], results[kind, True] + results[kind, False]
        print(f"{kind:28} {caught:4}/{all_}")
    caught = sum(n for (_, hit), n in results.items() if hit)
    all_ = sum(results.values())
    print(f"{'all':28} {caught:4}/{all_} = {caught / max(all_, 1):.1%} (of {made} mutants that can be made)")
    return 0 if all_ >= 200 and caught >= 0.95 * all_ else 1


def _mutants(roots: dict[str, Path]) -> Iterator[Mutant]:
    """Every mutant that changes what happens, in the order of files."""
    ops = Source(roots["dlinfer"], "dlinfer", OPS)
    forwards = _forwards(ops)
    there = [path for path in VENDORS.values() if (roots["dlinfer"] / path).is_file()]
    for path in there:
        yield from _vendor_mutants(Source(roots["dlinfer"], "dlinfer", path), forwards, ops)
    vendors = [Source(roots["dlinfer"], "dlinfer", path) for path in there]
    below: dict[str, list[list]] = {}
    for source in vendors:
        for function in _functions(source):
            below.setdefault(function.name, []).append(_params(function))
    yield from _op_mutants(ops, forwards, below)
    kernels = roots["lmdeploy"] / KERNELS
    for file in sorted(kernels.glob("*.py")):
        source = Source(roots["lmdeploy"], "lmdeploy", f"{KERNELS}/{file.name}")
        yield from (_export_mutants(source) if file.name == "__init__.py" else _wrapper_mutants(source, ops))
    yield from _branch_mutants(Source(roots["lmdeploy"], "lmdeploy", f"{BACKENDS}/op_backend.py"))
    yield from _build_mutants(roots["lmdeploy"])
    for vendor in VENDORS:
        yield from _graph_mutants(Source(roots["dlinfer"], "dlinfer", f"{GRAPHS}/{vendor}_cudagraph.py"))


def _functions(source: Source) -> list[ast.FunctionDef]:
    return [n for n in source.tree.body if isinstance(n, ast.FunctionDef)]


def _forwards(ops: Source) -> dict[str, list[ast.Call]]:
    """Op to the plain calls that it makes into the vendor registry."""
    found: dict[str, list[ast.Call]] = {}
    for function in _functions(ops):
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and "vendor_ops_registry" in ast.dump(node.func):
                found.setdefault(function.name, []).append(node)
    return found


def _signature(params: list[tuple[str, bool]]) -> inspect.Signature:
    plain = inspect.Parameter.POSITIONAL_OR_KEYWORD
    made = [inspect.Parameter(n, plain, default=None if d else inspect.Parameter.empty) for n, d in params]
    return inspect.Signature(made)


def _params(function: ast.FunctionDef) -> list[tuple[str, bool]]:
    args = function.args.args
    first = len(args) - len(function.args.defaults)
    return [(a.arg, i >= first) for i, a in enumerate(args)]


def _binding(call: ast.Call, params: list[tuple[str, bool]]) -> dict[str, str] | None:
    """Parameter to source of its argument, by Python's own binding; None where Python raises TypeError."""
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        return {"?": "?"}
    try:
        bound = _signature(params).bind(
            *map(ast.unparse, call.args), **{k.arg: ast.unparse(k.value) for k in call.keywords}
        )
    except (TypeError, ValueError):
        return None
    return dict(bound.arguments)


def _vendor_mutants(source: Source, forwards: dict[str, list[ast.Call]], ops: Source) -> Iterator[Mutant]:
    for function in _functions(source):
        if not function.decorator_list or function.name not in forwards:
            continue
        calls, params = forwards[function.name], _params(function)
        what = f"{function.name} line {function.lineno}"
        yield from _parameter_mutants(source, function, params, calls, f"vendor {what}")
        text = source.replaced(*((source.span(d), "staticmethod") for d in function.decorator_list))
        text = source.replaced(((source.lines_of(function)[0], source.at(function.lineno, 0)), ""))
        if text:
            yield Mutant("vendor: drop decorator", source.repo, source.path, text, what)
        name = (source.at(function.lineno, len("def ")), source.at(function.lineno, len("def ") + len(function.name)))
        yield Mutant(
            "vendor: rename key", source.repo, source.path, source.replaced((name, function.name + "_")) or "", what
        )
        if text := source.replaced((source.lines_of(function), "")):
            yield Mutant("vendor: drop function", source.repo, source.path, text, what)


def _parameter_mutants(
    source: Source, function: ast.FunctionDef, params: list, calls: list[ast.Call], what: str
) -> Iterator[Mutant]:
    args = function.args.args
    names = [n for s in function.body for n in ast.walk(s) if isinstance(n, ast.Name)]
    used = {n.id for n in names if isinstance(n.ctx, ast.Load)}
    before = [_binding(call, params) for call in calls]
    kind = what.split()[0]
    for i in range(len(args) - 1):
        one, two = args[i], args[i + 1]
        if params[i][1] != params[i + 1][1]:
            continue
        swapped = [*params[:i], params[i + 1], params[i], *params[i + 2 :]]
        same = [_binding(call, swapped) for call in calls] == before
        if not same and {one.arg, two.arg} & used:
            text = source.replaced((source.span(one), source.of(two)), (source.span(two), source.of(one)))
            if text:
                yield Mutant(
                    f"{kind}: swap parameters", source.repo, source.path, text, f"{what}: {one.arg}, {two.arg}"
                )
    for i, arg in enumerate(args):
        if arg.arg in used:
            start = source.at(arg.lineno, arg.col_offset)
            text = source.replaced(((start, start + len(arg.arg)), f"{arg.arg}_x"))
            if text:
                yield Mutant(f"{kind}: rename parameter", source.repo, source.path, text, f"{what}: {arg.arg}")
        rest = [*params[:i], *params[i + 1 :]]
        if [_binding(call, rest) for call in calls] != before and i + 1 < len(args):
            end = source.span(args[i + 1])[0]
            if text := source.replaced(((source.span(arg)[0], end), "")):
                yield Mutant(f"{kind}: drop parameter", source.repo, source.path, text, f"{what}: {arg.arg}")


def _op_mutants(ops: Source, forwards: dict[str, list[ast.Call]], below: dict[str, list[list]]) -> Iterator[Mutant]:
    for name, calls in forwards.items():
        for call in calls:
            yield from _argument_mutants(ops, call, f"ops {name}", below.get(name, []))
            key = next(n for n in ast.walk(call.func) if isinstance(n, ast.Constant))
            text = ops.replaced((ops.span(key), f'"{key.value}_"'))
            yield Mutant("ops: rename key", ops.repo, ops.path, text or "", name)
    exports = next(n for n in ops.tree.body if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "__all__")
    for item in exports.value.elts:
        if text := ops.replaced((ops.lines_of(item), "")):
            yield Mutant("ops: drop export", ops.repo, ops.path, text, item.value)


def _argument_mutants(source: Source, call: ast.Call, what: str, below: list[list]) -> Iterator[Mutant]:
    """Arguments of a call that change places or go; `below` are the parameters of those who may take the call."""
    kind = what.split()[0]
    args = call.args
    for i in range(len(args) - 1):
        one, two = source.of(args[i]), source.of(args[i + 1])
        if one != two and not isinstance(args[i], ast.Starred) and not isinstance(args[i + 1], ast.Starred):
            text = source.replaced((source.span(args[i]), two), (source.span(args[i + 1]), one))
            if text:
                yield Mutant(f"{kind}: swap arguments", source.repo, source.path, text, f"{what}: {one}, {two}")
    shorter = ast.Call(call.func, args[:-1], call.keywords)
    fails = any(_binding(call, params) is not None and _binding(shorter, params) is None for params in below)
    if len(args) > 1 and fails and not isinstance(args[-1], ast.Starred):
        span = (source.span(args[-2])[1], source.span(args[-1])[1])
        if text := source.replaced((span, "")):
            yield Mutant(f"{kind}: drop argument", source.repo, source.path, text, f"{what}: {source.of(args[-1])}")


def _wrapper_mutants(source: Source, ops: Source) -> Iterator[Mutant]:
    known = {f.name: _with_defaults(f) for f in _functions(ops)}
    for function in _functions(source):
        for node in ast.walk(function):
            if not isinstance(node, ast.Call) or not ast.unparse(node.func).startswith("ext_ops."):
                continue
            name = node.func.attr
            if name in known and source.path != f"{KERNELS}/fused_rotary_emb.py":
                yield from _argument_mutants(source, node, f"wrapper {function.name} -> {name}", [known[name]])
                end = source.span(node.func)[1]
                text = source.replaced(((end, end), "_x"))
                yield Mutant("wrapper: rename op", source.repo, source.path, text or "", f"{function.name} -> {name}")
                for keyword in node.keywords:
                    start = source.at(keyword.lineno, keyword.col_offset)
                    text = source.replaced(((start, start + len(keyword.arg)), f"{keyword.arg}_x"))
                    what = f"{function.name} -> {name}: {keyword.arg}="
                    yield Mutant("wrapper: rename keyword", source.repo, source.path, text or "", what)


def _with_defaults(function: ast.FunctionDef) -> list[tuple[str, bool]]:
    """The parameters of an op, with the defaults that its decorator gives."""
    keywords = [k for d in function.decorator_list if isinstance(d, ast.Call) for k in d.keywords]
    given = {c.value for k in keywords if k.arg == "default_value" for c in k.value.keys}
    return [(name, default or name in given) for name, default in _params(function)]


def _export_mutants(source: Source) -> Iterator[Mutant]:
    for node in source.tree.body:
        if isinstance(node, ast.ImportFrom) and node.level == 1 and len(node.names) == 1:
            if text := source.replaced((source.lines_of(node), "")):
                yield Mutant("wrapper: drop import", source.repo, source.path, text, node.names[0].name)


def _branch_mutants(source: Source) -> Iterator[Mutant]:
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.If) or "OpType." not in ast.unparse(node.test):
            continue
        member = ast.unparse(node.test).rpartition("OpType.")[2]
        attribute = next(n for n in ast.walk(node.test) if isinstance(n, ast.Attribute) and n.attr == member)
        end = source.span(attribute)[1]
        if text := source.replaced(((end, end), "X")):
            yield Mutant("dispatcher: rename member", source.repo, source.path, text, member)
        returned = node.body[-1].value
        end = source.span(returned)[1]
        imported = source.span(node.body[0])[1]
        if text := source.replaced(((end, end), "X"), ((imported, imported), "X")):
            yield Mutant("dispatcher: rename builder", source.repo, source.path, text, member)
        if source.text[source.span(node)[0] - 2 : source.span(node)[0]] == "el":
            continue
    for branch in _elifs(source):
        if text := source.replaced((branch, "")):
            yield Mutant(
                "dispatcher: drop branch", source.repo, source.path, text, source.text[slice(*branch)][:60].strip()
            )


def _elifs(source: Source) -> Iterator[tuple[int, int]]:
    """The spans of the `elif` branches: whole lines."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.If) and len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            inner = node.orelse[0]
            yield source.at(inner.lineno, 0), source.at(inner.body[-1].end_lineno + 1, 0)


def _build_mutants(root: Path) -> Iterator[Mutant]:
    """Builders that lose a parameter which the nn layer passes by position or name, told by a table of these calls."""
    passed = _nn_build_keywords(root)
    for file in sorted((root / BACKENDS).glob("*.py")):
        source = Source(root, "lmdeploy", f"{BACKENDS}/{file.name}")
        for cls in (n for n in source.tree.body if isinstance(n, ast.ClassDef) and n.name.endswith("Builder")):
            for build in (n for n in cls.body if isinstance(n, ast.FunctionDef) and n.name == "build"):
                if build.args.kwarg:
                    continue
                for i, arg in enumerate(build.args.args[:-1]):
                    if arg.arg in passed:
                        span = (source.span(arg)[0], source.span(build.args.args[i + 1])[0])
                        used = {n.id for s in build.body for n in ast.walk(s) if isinstance(n, ast.Name)}
                        text = source.replaced((span, ""))
                        if text and arg.arg in used:
                            yield Mutant(
                                "builder: drop parameter", source.repo, source.path, text, f"{cls.name}: {arg.arg}"
                            )


def _nn_build_keywords(root: Path) -> set[str]:
    names: set[str] = set()
    for file in (root / "lmdeploy/pytorch/nn").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "build":
                names |= {k.arg for k in node.keywords if k.arg}
    return names


def _graph_mutants(source: Source) -> Iterator[Mutant]:
    """Graph statements that are dropped: an allocation, a copy of runtime values, a hand-over to the metadata."""
    for function in (
        f for f in _functions(source) if f.name.endswith(("make_buffers_cudagraph", "fill_buffers_cudagraph"))
    ):
        for node in function.body:
            if not isinstance(node, ast.Assign):
                continue
            target, value = ast.unparse(node.targets[0]), ast.unparse(node.value)
            if function.name.startswith(tuple("AscendCambMaca")) and "make" in function.name:
                if target.startswith("input_buffers["):
                    kind = "graph: drop make"
                else:
                    continue
            elif target.startswith("input_buffers[") and "]" in target and target.count("[") > 1:
                kind = "graph: drop fill"
            elif target.startswith("attn_metadata.") and "input_buffers" in value:
                kind = "graph: drop hand-over"
            else:
                continue
            if text := source.replaced((source.lines_of(node), "")):
                yield Mutant(kind, source.repo, source.path, text, f"{function.name}: {target}")


if __name__ == "__main__":
    raise SystemExit(main())
