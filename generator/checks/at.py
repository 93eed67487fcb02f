"""Places and words that several rules share."""

from __future__ import annotations

from generator.spec.vendor import VENDORS
from generator.survey.sites import Site

from .finding import Place


def call_place(site: Site) -> Place:
    """Where a call stands."""
    return Place(site.repo, site.path, site.line)


def target_place(site: Site) -> Place:
    """Where what is called is defined."""
    return Place(site.target_repo, site.target_path, site.target_line)


def call_text(site: Site) -> str:
    """A call as one line."""
    return f"{site.call.callee}({site.call.args_text})"


def target_text(site: Site) -> str:
    """The callee and its parameters as one line."""
    return f"{site.name}{site.signature}"


def vendors_of_path(path: str) -> tuple[str, ...]:
    """The vendor whose file this is, by folder or by the beginning of the file's name; none for a shared file."""
    *folders, name = path.split("/")
    stem = name.removesuffix(".py").partition("_")[0]
    return tuple(v for v in VENDORS if v in folders or v == stem)
