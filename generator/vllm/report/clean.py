"""Text from strangers, made safe to print: one line, no control characters, no markup."""

from __future__ import annotations

MARKUP = "\\`*_[]<>|"


def clean(text: object, width: int = 300) -> str:
    """Return `text` on one line of at most `width` characters; what cannot be printed is written as an escape."""
    value = str(text)
    value = value if len(value) <= width else value[: width - 1] + "…"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in value)


def markdown(text: object) -> str:
    """Return `clean` text that Markdown shows as it is, also inside a table."""
    return "".join(f"\\{c}" if c in MARKUP else c for c in clean(text))
