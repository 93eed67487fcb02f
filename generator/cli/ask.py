"""Asks on a terminal what was not given; without one, says which flag is missing."""

from __future__ import annotations

from generator.errors import ScaffoldError

from .common import Common


def ask(common: Common, what: str, flag: str, choices: tuple[str, ...] = ()) -> str:
    """Return an answer.

    Args:
        what: the question, without a question mark.
        flag: how to give the answer without being asked.

    Raises:
        ScaffoldError: nobody can be asked.
    """
    if not common.interactive:
        hint = f" ({', '.join(choices)})" if choices else ""
        raise ScaffoldError(f"{what} is not given, and there is no terminal to ask on", next=f"give {flag}{hint}")
    import typer

    return typer.prompt(f"{what} ({', '.join(choices)})" if choices else what, err=True)


def ask_optional(common: Common, what: str) -> str | None:
    """Return an answer, or None if there is none or nobody can be asked."""
    if not common.interactive:
        return None
    import typer

    return typer.prompt(what, default="", show_default=False, err=True) or None
