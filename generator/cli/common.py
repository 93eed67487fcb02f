"""What every command has in common: where the checkouts are, and how it prints."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer

if TYPE_CHECKING:
    from generator.workspace.checkout import Workspace


@dataclass(frozen=True)
class Common:
    """The options that every command takes.

    Attributes:
        workspace, lmdeploy, dlinfer, vllm, vllm_ascend: folders as typed, None where not given.
        dry_run: write nothing.
        diff: print the unified diff.
        format: `text` or `json`.
        yes: answer every question with yes.
        verbose: show tracebacks.
    """

    workspace: Annotated[str | None, typer.Option(metavar="DIR", help="Folder that holds the checkouts.")] = None
    lmdeploy: Annotated[str | None, typer.Option(metavar="DIR", help="The lmdeploy checkout.")] = None
    dlinfer: Annotated[str | None, typer.Option(metavar="DIR", help="The dlinfer checkout.")] = None
    vllm: Annotated[str | None, typer.Option(metavar="DIR", help="The vllm checkout.")] = None
    vllm_ascend: Annotated[str | None, typer.Option(metavar="DIR", help="The vllm-ascend checkout.")] = None
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Plan everything, write nothing.")] = False
    diff: Annotated[bool, typer.Option("--diff", help="Print the unified diff.")] = False
    format: Annotated[Literal["text", "json"], typer.Option(help="How the result is printed.")] = "text"
    json: Annotated[bool, typer.Option("--json", help="Short for --format json.")] = False
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Answer every question with yes.")] = False
    verbose: Annotated[bool, typer.Option("--verbose", help="Show tracebacks.")] = False

    @property
    def as_json(self) -> bool:
        """True if the result is to be JSON."""
        return self.json or self.format == "json"

    @property
    def interactive(self) -> bool:
        """True if somebody can be asked: a terminal on both sides, no --yes, no JSON."""
        return sys.stdin.isatty() and sys.stderr.isatty() and not self.yes and not self.as_json

    def find(self, *need: str) -> Workspace:
        """Find the checkouts that a command needs.

        Raises:
            ScaffoldError: one of them is nowhere.
        """
        from generator.workspace.find import find_workspace

        flags = {k: getattr(self, k) for k in ("workspace", "lmdeploy", "dlinfer", "vllm")}
        return find_workspace({**flags, "vllm-ascend": self.vllm_ascend}, os.environ, Path.cwd(), need)


def with_common(function: Callable[..., int | None]) -> Callable[..., int | None]:
    """Give a command the common options; it gets them as its first argument, a `Common`.

    An option that the command declares itself goes before the common one of that name.
    """
    hints = get_type_hints(function, include_extras=True)
    shared = get_type_hints(Common, include_extras=True)
    own = [p.replace(annotation=hints[p.name]) for p in list(inspect.signature(function).parameters.values())[1:]]
    common = [
        inspect.Parameter(f.name, inspect.Parameter.KEYWORD_ONLY, default=f.default, annotation=shared[f.name])
        for f in fields(Common)
        if f.name not in {p.name for p in own}
    ]
    names = {f.name for f in fields(Common)}

    @wraps(function)
    def command(**given: Any) -> int | None:
        options = Common(**{k: v for k, v in given.items() if k in names})
        return function(options, **{k: v for k, v in given.items() if k not in names or k in hints})

    keyword = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own]
    command.__signature__ = inspect.Signature([*keyword, *common])
    command.__annotations__ = {p.name: p.annotation for p in [*keyword, *common]}
    return command
