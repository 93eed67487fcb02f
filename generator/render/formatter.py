"""Formats new text for checkouts whose own CI runs black (dlinfer)."""

from __future__ import annotations

import subprocess


def black(text: str) -> str:
    """Format a piece of Python as black 24 with its default configuration would.

    `ruff format` stands in for black because it starts 30 times faster; `tests/render/test_formatter.py` holds the two
    against each other on everything that the templates write.

    Raises:
        ValueError: the text is no Python.
    """
    from ruff.__main__ import find_ruff_bin

    done = subprocess.run(
        [find_ruff_bin(), "format", "--isolated", "--no-cache", "--target-version", "py38", "-"],
        input=text.encode(),
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise ValueError(f"a template rendered text that is no Python: {done.stderr.decode().strip()}")
    return done.stdout.decode()


def black_body(text: str) -> str:
    """Format statements as black would inside a function, four columns further right."""
    inside = "".join(f"    {line}" if line.strip() else line for line in text.splitlines(keepends=True))
    lines = black(f"def _():\n{inside}").split("\n")[1:]
    return "\n".join(line.removeprefix("    ") for line in lines)
