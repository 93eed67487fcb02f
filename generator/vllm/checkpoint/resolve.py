"""Which folder a user means by CHECKPOINT."""

from __future__ import annotations

from pathlib import Path

from .json_data import BadCheckpoint

MODELS = Path("/models")


def resolve(argument: str, models: Path = MODELS) -> Path:
    """Return the folder that `argument` names: a path as it is, a bare name in `models` (`/models/NAME`).

    A bare name that is a folder here means that folder.

    Raises:
        BadCheckpoint: empty, or with a zero byte.
    """
    if not argument.strip() or "\0" in argument:
        raise BadCheckpoint("no checkpoint was named", next="give a folder, or the name of one in /models")
    path = Path(argument).expanduser()
    bare = len(path.parts) == 1 and argument not in (".", "..")
    return models / argument if bare and not path.is_dir() else path
