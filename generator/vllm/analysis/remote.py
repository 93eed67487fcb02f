"""Remote code: what `auto_map` asks for and which Python files lie beside the configuration. It is never imported."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..checkpoint.checkpoint import Checkpoint
from ..finding import Finding
from .fields import Config, short


@dataclass
class RemoteCode:
    """Attributes:
    auto_map: auto class → `file.Class`. files: the Python files that are there.
    """

    auto_map: dict[str, str] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def as_json(self) -> dict:
        """Return the documented object."""
        return {"auto_map": self.auto_map, "files": self.files}


def read_remote(config: Config, checkpoint: Checkpoint) -> RemoteCode:
    """Return what the checkpoint would have somebody execute, and say that it was not."""
    found = RemoteCode(files=checkpoint.remote_code)
    sources = {"config.json": config.root, **checkpoint.extra}
    for name, part in sources.items():
        found.auto_map |= _entries(part.get("auto_map"), name, found)
    if found.auto_map or found.files:
        names = [*found.files, *found.auto_map.values()]
        found.findings.append(
            Finding(
                "C07",
                "note",
                short(names[0]),
                "remote code: "
                + ", ".join(short(n) for n in dict.fromkeys(names[:12]))
                + "; it was listed, not imported",
                "config.json",
                next="read it before you run the model with --trust-remote-code",
            )
        )
    return found


def _entries(value: object, path: str, found: RemoteCode) -> dict[str, str]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        found.findings.append(Finding("C04", "warning", "auto_map", f"is {short(value)}, not an object", path))
        return {}
    good = {k: v[0] if isinstance(v, list) and v else v for k, v in value.items()}
    return {k: v for k, v in good.items() if isinstance(v, str)}
