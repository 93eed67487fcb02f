"""What besides text the model takes."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..checkpoint.checkpoint import Checkpoint
from .fields import Config

IMAGE = (
    "vision_config",
    "vit_config",
    "vision_model_name",
    "img_processor",
    "visual",
    "vq_config",
    "vision_tower",
    "vision_encoder_config",
    "image_size_config",
    "vision_cfg",
    "perception_config",
)
AUDIO = (
    "audio_config",
    "audio_encoder_config",
    "audio_tower_config",
    "audio_processor",
    "sound_config",
    "whisper_config",
    "speech_config",
)
VIDEO = ("video_token_id", "video_token_index")
IMAGE_TOKEN = ("image_token_id", "image_token_index", "im_patch_id", "image_pad_id")
AUDIO_TOKEN = ("audio_token_id", "audio_token_index")
PATCH = ("patch_size", "num_channels")
PARTS = ("thinker_config", "talker_config")


@dataclass
class Multimodal:
    """Attributes:
    modalities: of `image`, `video`, `audio`, sorted.
    parts: the sub-configurations of the towers.
    processor: where the processor comes from.
    """

    modalities: list[str]
    parts: list[str]
    processor: str
    says: list[str] = field(default_factory=list)

    def as_json(self) -> dict:
        """Return the documented object."""
        return {"modalities": self.modalities, "parts": self.parts, "processor": self.processor, "says": self.says}


def read_multimodal(config: Config, checkpoint: Checkpoint) -> Multimodal | None:
    """Return the towers, or None for a text-only model."""
    says: list[str] = []
    found = {name for name, wants in _wants().items() if _any(config, wants, says)}
    if not found and _patches(config):
        found, says = {"image"}, [f"{n} = {config.root[n]}" for n in PATCH]
    if not found and _speech(config):
        found, says = {"audio"}, [f"encoder of model_type {config.root.get('model_type')}"]
    if not found:
        return None
    parts = [
        path + name
        for path, part in _levels(config)
        for name in part
        if isinstance(part[name], dict) and name.endswith("_config") and path + name != config.text_path.rstrip(".")
    ]
    return Multimodal(sorted(found), parts, _processor(config, checkpoint), says)


def _wants() -> dict[str, tuple[str, ...]]:
    return {"image": IMAGE + IMAGE_TOKEN, "audio": AUDIO + AUDIO_TOKEN, "video": VIDEO}


def _levels(config: Config) -> list[tuple[str, dict]]:
    nested = [(f"{n}.", config.root[n]) for n in PARTS if isinstance(config.root.get(n), dict)]
    return [("", config.root), *nested]


def _any(config: Config, names: tuple[str, ...], says: list[str]) -> bool:
    before = len(says)
    for path, part in _levels(config):
        says += [path + name for name in names if part.get(name) not in (None, {}, [])]
    return len(says) > before


def _patches(config: Config) -> bool:
    """Return True for a decoder that takes raw image patches itself (fuyu)."""
    return config.text is not config.root and all(type(config.root.get(n)) is int for n in PATCH)


def _speech(config: Config) -> bool:
    root = config.root
    listens = any(n in root for n in ("num_mel_bins", "encoder_config")) and root.get("is_encoder_decoder", True)
    return bool(listens) and ("num_mel_bins" in root or "speech" in str(root.get("model_type")))


def _processor(config: Config, checkpoint: Checkpoint) -> str:
    remote = config.root.get("auto_map")
    if isinstance(remote, dict) and isinstance(remote.get("AutoProcessor"), str):
        return f"remote code {remote['AutoProcessor'][:120]}"
    return ", ".join(checkpoint.processor) or "no processor file"
