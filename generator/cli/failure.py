"""Says what went wrong: what, where, and what to do next."""

from __future__ import annotations

import sys


def report(error: Exception, *, verbose: bool) -> int:
    """Print an error to stderr and return its exit code.

    Errors of this package carry `what`, `where`, `next` and `exit_code`; those of the command-line parser are usage
    errors (2); everything else is internal (3).
    """
    if verbose:
        import traceback

        traceback.print_exception(error)
    if hasattr(error, "what"):
        _say(error.what, error.where, error.next)
        return error.exit_code
    if type(error).__name__ in ("Abort", "Aborted"):
        _say("cancelled", None, None)
        return 1
    if hasattr(error, "format_message"):
        return _usage(error)
    _say(
        f"internal error: {type(error).__name__}: {error}", None, "run it again with --verbose and report the traceback"
    )
    return 3


def _usage(error) -> int:
    message = error.format_message()
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "scaffold"
    _say(message.rstrip("."), None, f"{path} --help lists what it takes")
    return 2


def _say(what: str, where: str | None, next: str | None) -> None:
    strong, plain = ("\x1b[1;31m", "\x1b[0m") if sys.stderr.isatty() else ("", "")
    print(f"{strong}error:{plain} {what}", file=sys.stderr)
    if where:
        print(f"   at: {where}", file=sys.stderr)
    if next:
        print(f" next: {next}", file=sys.stderr)
