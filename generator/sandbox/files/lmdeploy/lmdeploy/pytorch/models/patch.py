# Sandbox counterpart written for scaffold, in the form of lmdeploy.
from lmdeploy.pytorch.model_inputs import BuildModelContext, get_step_ctx_manager


def get_build_model_context() -> BuildModelContext:
    """What is known while a model is built."""
    return get_step_ctx_manager().build_ctx
