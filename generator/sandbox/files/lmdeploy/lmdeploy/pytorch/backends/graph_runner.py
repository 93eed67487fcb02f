# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
import torch

from lmdeploy.pytorch.config import BackendConfig, CacheConfig, ModelConfig


class GraphRunner:
    """Runs a model without any graph."""

    def __init__(self, model: torch.nn.Module, model_config: ModelConfig, cache_config: CacheConfig,
                 backend_config: BackendConfig, device: torch.device, **kwargs):
        self.model = model
        self.model_config = model_config
        self.cache_config = cache_config
        self.backend_config = backend_config
        self.device = device

    def __call__(self, **kwargs):
        """Run the model."""
        return self.model(**kwargs)
