# Sandbox counterpart written for scaffold, in the form of dlinfer.
from .rms_norm_gated import RMSNormGated, rmsnorm_fn
