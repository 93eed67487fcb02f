# Sandbox counterpart written for scaffold, in the form of dlinfer.
from . import pytorch_patch, camb_ops
