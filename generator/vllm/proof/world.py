"""What vLLM needs around a model: its configuration, one rank, and the registered class."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import tempfile
import types
from collections.abc import Iterator
from typing import Any

import torch


class World:
    """The surroundings of one case.

    Attributes:
        config: the `VllmConfig`.
    """

    def __init__(self, case: dict[str, Any]):
        from vllm.engine.arg_utils import EngineArgs

        self.case = case
        self.cls = self._class()
        self.config = EngineArgs(**self.arguments()).create_engine_config()
        self._one_rank()

    def arguments(self) -> dict[str, Any]:
        """Return the engine's arguments for this case."""
        return {
            "model": self.case["checkpoint"],
            "dtype": "float32",
            "max_model_len": 256,
            "enforce_eager": True,
            "skip_tokenizer_init": not (self.case["image"] and self.case["engine"]),
            "hf_overrides": self.case["overrides"] or {},
        }

    def construct(self, meta: bool = False) -> torch.nn.Module:
        """Return a new model, on the meta device if asked."""
        from vllm.config import set_current_vllm_config
        from vllm.model_executor.layers import rotary_embedding
        from vllm.model_executor.model_loader.utils import initialize_model

        # Attention enters itself by its prefix; a rotary embedding of the meta device must not be found again.
        rotary_embedding._ROPE_DICT.clear()
        self.config.compilation_config.static_forward_context.clear()
        torch.set_default_dtype(torch.float32)
        with set_current_vllm_config(self.config), torch.device("meta" if meta else "cpu"):
            return initialize_model(vllm_config=self.config, model_class=self.cls)

    def load(self, model: torch.nn.Module, weights: dict[str, torch.Tensor]) -> None:
        """Load the weights and let every layer make of them what it computes with."""
        from vllm.config import set_current_vllm_config
        from vllm.model_executor.model_loader.utils import process_weights_after_loading

        with set_current_vllm_config(self.config):
            model.load_weights(iter(weights.items()))
            process_weights_after_loading(model, self.config.model_config, torch.device("cpu"))

    @contextlib.contextmanager
    def forward(self) -> Iterator[None]:
        """The context that a forward pass needs."""
        from vllm.config import set_current_vllm_config
        from vllm.forward_context import set_forward_context

        with set_current_vllm_config(self.config), set_forward_context(None, self.config):
            yield

    def positions(self, length: int) -> torch.Tensor:
        """Return positions 0 … length - 1, with a row for each axis where the model has several."""
        positions = torch.arange(length)
        return positions.expand(3, -1).contiguous() if self.config.model_config.uses_mrope else positions

    def _class(self) -> type:
        import json

        from vllm.model_executor.models import registry

        with open(os.path.join(self.case["checkpoint"], "config.json")) as file:
            arch = (self.case["overrides"] or {}).get("architectures", json.load(file)["architectures"])[0]
        entry = registry._VLLM_MODELS.get(arch)
        if entry is None:
            raise LookupError(f"{arch} is not in the registry")
        name = entry[0] if entry[0].startswith("vllm.") else f"vllm.model_executor.models.{entry[0]}"
        module = importlib.import_module(name) if self.case["source"] is None else self._other(name)
        cls = getattr(module, entry[1] if self.case["source"] is None else arch)
        # A class object is inspected here and now; an entry would be inspected in a process of its own, for 15 s.
        registry.ModelRegistry.register_model(arch, cls)
        return cls

    def _other(self, name: str) -> types.ModuleType:
        with open(self.case["source"]) as file:
            text = file.read()
        module = types.ModuleType(f"{name}_mutant")
        module.__package__ = name.rpartition(".")[0]
        module.__file__ = self.case["source"]
        sys.modules[module.__name__] = module
        exec(compile(text, self.case["source"], "exec", dont_inherit=True), module.__dict__)
        return module

    def _one_rank(self) -> None:
        from vllm.config import set_current_vllm_config
        from vllm.distributed import (
            destroy_model_parallel,
            ensure_model_parallel_initialized,
            init_distributed_environment,
            parallel_state,
        )

        with set_current_vllm_config(self.config):
            # An engine that has ended takes the group of all ranks with it.
            if parallel_state._WORLD is None:
                # The file has to outlive the groups; the parent removes this process's folder.
                file = tempfile.mkdtemp(dir=os.getcwd()) + "/rendezvous"
                init_distributed_environment(1, 0, f"file://{file}", 0, backend="gloo")
            # Which groups there are (experts') is decided by the model.
            destroy_model_parallel()
            ensure_model_parallel_initialized(1, 1)
