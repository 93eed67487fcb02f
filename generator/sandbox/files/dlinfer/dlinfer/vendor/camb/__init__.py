# Copyright (c) scaffold. A sandbox counterpart in the form of dlinfer, not its code.
from . import pytorch_patch, camb_ops
