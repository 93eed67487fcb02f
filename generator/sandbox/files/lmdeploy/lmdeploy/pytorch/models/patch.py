# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
from lmdeploy.pytorch.model_inputs import BuildModelContext, get_step_ctx_manager


def get_build_model_context() -> BuildModelContext:
    """What is known while a model is built."""
    return get_step_ctx_manager().build_ctx


def get_quant_method(quant_config: dict | None, prefix: str, module_kind: str) -> str | None:
    """Quantization of a layer, None if it has none."""
    if quant_config is None:
        return None
    return get_build_model_context().quant_config.get_quant_method(prefix, module_kind=module_kind)
