"""Formats a text as its repository would, so that a merge can look through what a formatter did to it."""

from __future__ import annotations

import subprocess

from generator.source.merge import Normalise

_STYLES = {"dlinfer": ("--line-length", "88")}
_OTHER = ("--line-length", "120", "--config", "format.quote-style='preserve'")
_HEAD = "if 0:\n    pass\n"


def normaliser(repo: str) -> Normalise:
    """Return a function that formats Python in the style of a repository; what is no Python it gives back."""

    def normalise(text: str) -> str:
        branch = text.startswith("elif")
        done = _format(_HEAD + text if branch else text, _STYLES.get(repo, _OTHER))
        if done is None:
            return text
        return done.removeprefix(_HEAD) if branch else done

    return normalise


def _format(text: str, style: tuple[str, ...]) -> str | None:
    from ruff.__main__ import find_ruff_bin

    command = [find_ruff_bin(), "format", "--isolated", "--no-cache", *style, "-"]
    done = subprocess.run(command, input=text.encode("utf-8", "surrogateescape"), capture_output=True, check=False)
    return None if done.returncode else done.stdout.decode("utf-8", "surrogateescape")
