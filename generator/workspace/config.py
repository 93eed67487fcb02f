"""`scaffold.toml`: where a workspace says where its checkouts are."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

from generator.errors import ScaffoldError

NAME = "scaffold.toml"


def find_config(start: Path) -> Path | None:
    """Return the nearest `scaffold.toml` in `start` or a folder above it."""
    for folder in (start, *start.parents):
        if os.path.isfile(folder / NAME):
            return folder / NAME
    return None


def read_config(path: Path) -> dict[str, Any]:
    """Return what a `scaffold.toml` holds.

    Raises:
        ScaffoldError: it cannot be read or is no TOML; says where.
    """
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise ScaffoldError(f"{NAME} cannot be read: {error.strerror}", where=str(path)) from error
    except ValueError as error:  # tomllib.TOMLDecodeError and UnicodeDecodeError are ValueErrors
        raise ScaffoldError(f"{NAME} is no TOML: {error}", where=str(path), next="correct it or remove it") from error


def config_folder(path: Path, key: str, value: Any) -> Path:
    """Return the folder that `key` names, relative to the file.

    Raises:
        ScaffoldError: the value is no string.
    """
    if not isinstance(value, str):
        raise ScaffoldError(f"`{key}` must be a path in quotes, not {value!r}", where=str(path))
    return path.parent / os.path.expanduser(value)
