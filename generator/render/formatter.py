"""Formats new text for checkouts whose own CI runs black (dlinfer)."""

from __future__ import annotations

import json
import subprocess
from functools import lru_cache


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
    """Format statements as black does inside a function, four columns further right.

    By black itself: it and ruff break a long assignment to an item (`buffers["x"][:, :n] = x`) in different places.

    Raises:
        ValueError: the text is no Python.
    """
    from black import InvalidInput, Mode, TargetVersion, format_str

    inside = "".join(f"    {line}" if line.strip() else line for line in text.splitlines(keepends=True))
    try:
        done = format_str(f"def _():\n{inside}", mode=Mode(target_versions={TargetVersion.PY38}))
    except InvalidInput as error:
        raise ValueError(f"a template rendered text that is no Python: {error}") from None
    return "\n".join(line.removeprefix("    ") for line in done.split("\n")[1:])


@lru_cache(maxsize=16)
def vllm_style(text: str) -> str:
    """Format a whole file as vLLM's own ruff configuration would: sorted imports, none of them unused, 88 columns.

    A plan renders a file twice, to show it to the registration and to write it; it is formatted once.

    Raises:
        ValueError: the text is no Python.
    """
    from ruff.__main__ import find_ruff_bin

    ruff, common = find_ruff_bin(), ["--isolated", "--no-cache", "--line-length", "88", "--target-version", "py310"]
    rules = ["--select", "I,F401", "--fix", "--quiet", "--config", 'lint.isort.known-first-party=["vllm"]']
    sorted_ = _run([ruff, "check", *common, *rules, "-"], text)
    return _run([ruff, "format", *common, "-"], sorted_)


def _run(argv: list[str], text: str) -> str:
    done = subprocess.run(argv, input=text.encode(), capture_output=True, check=False)
    if done.returncode:
        raise ValueError(f"a template rendered text that is no Python: {(done.stderr or done.stdout).decode().strip()}")
    return done.stdout.decode()


def python(value: object, prefix: str = "") -> str:
    """A plain value as Python writes it, texts in double quotes; `prefix` `r` for a regular expression."""
    if isinstance(value, str):
        raw = prefix and value.isprintable() and '"' not in value and not value.endswith("\\")
        return f'{prefix}"{value}"' if raw else json.dumps(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{python(k)}: {python(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(python, value)) + "]"
    return repr(value)
