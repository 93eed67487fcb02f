"""A template root of one's own with a history, and edits as a user makes them."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from generator.render.root import template_root
from generator.render.template import URL
from tests.plan.kit import git

Edits = Mapping[str, tuple[str, str]]


def make_templates(folder: Path) -> Path:
    """A git repository with this project's templates as version 1.0.0, tagged, at the project's address."""
    shutil.copytree(template_root() / "templates", folder / "templates")
    shutil.copy(template_root() / "copier.yml", folder)
    (folder / "templates/VERSION").write_text("1.0.0\n")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "remote", "add", "origin", URL)
    release(folder, "1.0.0", {})
    return folder


def release(folder: Path, version: str, edits: Edits, new: Mapping[str, str] | None = None) -> None:
    """Commit and tag another version: texts replaced in files below `templates/`, new files."""
    for path, (old, text) in edits.items():
        change(folder / "templates" / path, old, text)
    for path, text in (new or {}).items():
        (folder / "templates" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "templates" / path).write_text(text)
    (folder / "templates/VERSION").write_text(f"{version}\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", version)
    git(folder, "tag", f"v{version}")


def change(file: Path, old: str, new: str) -> None:
    """Replace a text that must be there, bytes for bytes elsewhere."""
    data = file.read_bytes()
    assert old.encode() in data, f"{old!r} is not in {file}"
    file.write_bytes(data.replace(old.encode(), new.encode(), 1))


# What version 1.1.0 of these tests changes: a comment in the call of layer 3, the docstring of the kernel wrapper, the
# message of the stub, and a docstring of layer 0.
V11: Edits = {
    "shared/op/layer3/function.py.txt.jinja": (
        '    return vendor_ops_registry["{{ op.name }}"]({{ op.args }})',
        '    # One call a vendor.\n    return vendor_ops_registry["{{ op.name }}"]({{ op.args }})',
    ),
    "shared/op/layer2/wrapper.py.jinja": (' kernel.")', ' wrapper.")'),
    "shared/op/layer4/body.jinja": ("no native call is known", "no native call is known yet"),
    "shared/op/layer0/abstract.jinja": ("implementation api.", "implementation interface."),
}
