"""Print the default configuration of every class that an installed transformers has, as JSON. Needs no torch."""

from __future__ import annotations

import json
import sys
from importlib import import_module

import transformers
from transformers.models.auto.configuration_auto import CONFIG_MAPPING, CONFIG_MAPPING_NAMES

MAPPINGS = ("MODEL_FOR_CAUSAL_LM_MAPPING_NAMES", "MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES")


def architectures() -> dict[str, dict[str, list[str]]]:
    """Return model_type → name of the auto mapping → class names."""
    # The package is lazy: a submodule that would need torch is an empty shell unless it is imported by its full name.
    modeling_auto = import_module("transformers.models.auto.modeling_auto")
    found: dict[str, dict[str, list[str]]] = {}
    for mapping in MAPPINGS:
        for model_type, names in getattr(modeling_auto, mapping).items():
            listed = list(names) if isinstance(names, (list, tuple)) else [names]
            found.setdefault(model_type, {}).setdefault(mapping, []).extend(listed)
    return found


def main() -> None:
    """Print `{version, configs: {model_type: {config, archs}}, failed: [[model_type, reason]]}`."""
    archs, configs, failed = architectures(), {}, []
    for model_type in CONFIG_MAPPING_NAMES:
        try:
            config = CONFIG_MAPPING[model_type]().to_dict()
            json.dumps(config)
        except Exception as error:  # noqa: BLE001 - a default that needs a download or a package is only left out
            failed.append([model_type, str(error)[:100]])
            continue
        configs[model_type] = {"config": config, "archs": archs.get(model_type, {})}
    json.dump({"version": transformers.__version__, "configs": configs, "failed": failed}, sys.stdout)


if __name__ == "__main__":
    main()
