# Copyright (c) scaffold. A sandbox counterpart in the form of dlinfer, not its code.
import importlib
from dlinfer.vendor import vendor_name

vendor = ["camb", "ascend"]


def patch_compiled_func():
    import torch

    def keep_eager(*args, **kwargs):
        return args[0] if args and callable(args[0]) else lambda func: func

    torch.compile = keep_eager


##### patch gated delta net #####
def patch_gated_delta_net():
    from lmdeploy.pytorch.nn import gated_delta

    class AscendGatedDeltaMeta:

        def __init__(self, num_tokens, state_ids, attn_metadata):
            self.is_decoding = attn_metadata.is_decoding
            self.cu_seqlens = attn_metadata.q_start_loc
            self.has_initial_state = attn_metadata.has_initial_state
            self.state_ids = state_ids.clamp(0)

    def build_rmsnorm_gated(hidden_size: int, eps=1e-6, **kwargs):
        from dlinfer.vendor.ascend.triton_ops import RMSNormGated

        return RMSNormGated(hidden_size, eps=eps, device=kwargs["device"])

    gated_delta.GatedDeltaMeta = AscendGatedDeltaMeta
    gated_delta.build_rmsnorm_gated = build_rmsnorm_gated


def vendor_device_init():
    if vendor_name in vendor:
        importlib.import_module(f".{vendor_name}", __package__)
    patch_compiled_func()
    if vendor_name == "ascend":
        patch_gated_delta_net()


vendor_device_init()
