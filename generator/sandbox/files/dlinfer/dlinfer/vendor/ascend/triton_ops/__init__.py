# Copyright (c) scaffold. A sandbox counterpart in the form of dlinfer, not its code.
from .rms_norm_gated import RMSNormGated, rmsnorm_fn
