# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.

LMDEPLOY_PYTORCH_MODEL_PATH = 'lmdeploy.pytorch.models'

MODULE_MAP = dict()
ASCEND_MODULE_MAP = dict()
MACA_MODULE_MAP = dict()
CAMB_MODULE_MAP = dict()

DEVICE_SPECIAL_MODULE_MAP = dict(ascend=ASCEND_MODULE_MAP, maca=MACA_MODULE_MAP, camb=CAMB_MODULE_MAP)

# qwen3
MODULE_MAP.update({
    'Qwen3ForCausalLM': f'{LMDEPLOY_PYTORCH_MODEL_PATH}.qwen3.Qwen3ForCausalLM',
})

# qwen3 next
MODULE_MAP.update({
    'Qwen3NextForCausalLM':
    f'{LMDEPLOY_PYTORCH_MODEL_PATH}.qwen3_next.Qwen3NextForCausalLM',
})

CUSTOM_MODULE_MAP = dict()
