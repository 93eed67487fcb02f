"""The command line's front door: builds the app, runs a command, prints what went wrong."""

from __future__ import annotations

import sys
from importlib import import_module

import typer

from generator import __version__

# One file a command group; each has `register(app)` and imports nothing heavy at module level.
_GROUPS = (
    "op",
    "graph_buffer",
    "context_field",
    "patches",
    "applied",
    "update",
    "template",
    "sandbox",
    "check",
    "vllm",
)

_EXIT_CODES = (
    "Exit codes: 0 done, 1 findings or conflicts, 2 wrong usage or bad input (nothing written), 3 internal error."
)


def build_app() -> typer.Typer:
    """Return the app with every command group."""
    app = typer.Typer(
        help="Add ops, buffers, patches and models across lmdeploy, dlinfer, vLLM and vllm-ascend in one go.",
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog=_EXIT_CODES,
    )
    app.callback()(_root)
    for group in _GROUPS:
        import_module(f"generator.cli.{group}").register(app)
    return app


def _show_version(asked: bool) -> None:
    if asked:
        print(f"scaffold {__version__}")
        raise typer.Exit


def _root(
    version: bool = typer.Option(False, "--version", callback=_show_version, is_eager=True, help="Show the version."),
) -> None:
    pass


def main(argv: list[str] | None = None) -> None:
    """Run a command and exit with its code: 0, 1, 2 or 3 as documented, 130 when interrupted."""
    sys.exit(run(sys.argv[1:] if argv is None else argv))


def run(argv: list[str]) -> int:
    """Run a command and return its exit code; errors go to stderr."""
    import gc

    from .failure import report

    # A command lives for a second and its trees hold few cycles: collecting them costs a tenth of that.
    gc.set_threshold(100_000)
    try:
        result = typer.main.get_command(build_app()).main(args=argv, prog_name="scaffold", standalone_mode=False)
    except Exception as error:  # noqa: BLE001 - the front door: nothing may leave as a traceback
        return report(error, verbose="--verbose" in argv)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    return result if isinstance(result, int) else 0
