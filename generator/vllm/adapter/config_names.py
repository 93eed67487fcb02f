"""How generated code reads a field of the configuration."""

from __future__ import annotations

import re

from ..analysis.fields import Config


def expression(config: Config, used: set[str], *names: str) -> str | None:
    """Return `config.<field>` for the first of `names` that config.json sets, and note it as read; else None."""
    used |= set(names)
    found = config.text_get(*names)
    return f"config.{found.path.rpartition('.')[2]}" if found else None


def fields_of(written: str) -> set[str]:
    """Return the fields of the configuration that an expression reads."""
    return set(re.findall(r"\bconfig\.(\w+)", written))
