"""The history of the templates as one git bundle: one commit a version, the same bytes wherever it is built."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from generator.render.template import version_of

from .git import extract, git, text, versions

_FIRST, _DAY = 1577836800, 86400  # commits are dated 2020-01-01 and a day later each, whatever clock built them
_NOBODY = "scaffold <templates@npu-scaffold.invalid>"
_LEFT_OUT = ("__pycache__", ".DS_Store")


def write_bundle(root: Path, output: Path) -> list[str]:
    """Write the bundle of a project, and return its versions, oldest first; the last one is as the files are now.

    Each commit holds `copier.yml` and `templates/` and is tagged `v<version>`. Nothing but their contents goes into it:
    no date, no name, no commit of the project. A folder that is no git checkout has one version.

    Raises:
        ScaffoldError: git fails, or the templates have no version.
    """
    with TemporaryDirectory(prefix="scaffold-history-") as name:
        work = Path(name).resolve()
        found = list(_trees(root, work))
        repository = work / "repository"
        git(work, "init", "-q", "--bare", "-b", "main", str(repository))
        git(repository, "fast-import", "--quiet", data=b"".join(_commits(found)))
        git(repository, "-c", "pack.threads=1", "bundle", "create", "-q", str(output.resolve()), "--all", "HEAD")
        return [version for version, _ in found]


def _trees(root: Path, work: Path) -> Iterator[tuple[str, Path]]:
    """Each version with a folder that holds it."""
    current = version_of(root)
    past = versions(root) if text(root, "rev-parse", "--show-toplevel") == str(root.resolve()) else {}
    for version, commit in reversed(past.items()):
        if version != current:
            folder = work / version
            folder.mkdir()
            extract(root, commit, folder)
            yield version, folder
    yield current, root


def _commits(found: list[tuple[str, Path]]) -> Iterator[bytes]:
    """The stream that `git fast-import` reads."""
    for number, (version, folder) in enumerate(found, 1):
        date = f"{_FIRST + _DAY * number} +0000"
        yield f"commit refs/heads/main\nmark :{number}\n".encode()
        yield f"author {_NOBODY} {date}\ncommitter {_NOBODY} {date}\n".encode()
        yield _data(f"Templates {version}\n".encode())
        if number > 1:
            yield f"from :{number - 1}\n".encode()
        yield b"deleteall\n"
        for path in _files(folder):
            yield f"M 100644 inline {path.relative_to(folder).as_posix()}\n".encode() + _data(path.read_bytes())
        yield f"\nreset refs/tags/v{version}\nfrom :{number}\n\n".encode()


def _files(folder: Path) -> list[Path]:
    below = (path for path in (folder / "templates").rglob("*") if path.is_file() and path.suffix != ".pyc")
    return sorted([folder / "copier.yml", *(path for path in below if not set(_LEFT_OUT) & set(path.parts))])


def _data(data: bytes) -> bytes:
    return f"data {len(data)}\n".encode() + data + b"\n"
