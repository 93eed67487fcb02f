"""Which templates are rendered, and how answers files call them: an address and a version, no path of a machine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from generator.errors import ScaffoldError

from .root import template_root

# Where this project's templates are published: what copier clones for a plain `copier update`.
URL = "https://github.com/npu-scaffold/npu-scaffold.git"
VERSION_FILE = "templates/VERSION"


@dataclass(frozen=True)
class Template:
    """One version of a template root.

    Attributes:
        root: the folder that holds `copier.yml` and `templates/`.
        url: `_src_path` of the answers files.
        commit: `_commit` of the answers files, a tag or what `git describe` says.
    """

    root: Path
    url: str
    commit: str

    @property
    def answers(self) -> dict[str, str]:
        """What an answers file remembers of the templates, by copier's names."""
        return {"_commit": self.commit, "_src_path": self.url}


def shipped() -> Template:
    """The templates of this package."""
    root = template_root()
    return Template(root, URL, f"v{version_of(root)}")


def version_of(root: Path) -> str:
    """Return the version that a template root says it has.

    Raises:
        ScaffoldError: it says none.
    """
    try:
        return (root / VERSION_FILE).read_text().strip()
    except OSError as error:
        what = f"these templates have no version: {error.strerror}"
        raise ScaffoldError(what, where=VERSION_FILE, next=f"write one to {VERSION_FILE}") from None
