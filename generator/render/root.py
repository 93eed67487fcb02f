"""Where the templates are: beside the package in a checkout of this project, inside it in an installed wheel."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def template_root() -> Path:
    """Return the folder that holds `copier.yml` and `templates/`."""
    shipped = _PACKAGE / "_templates"
    return shipped if shipped.is_dir() else _PACKAGE.parent
