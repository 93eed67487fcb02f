# Copyright (c) scaffold. A sandbox counterpart in the form of dlinfer, not its code.
import torch_mlu
from torch_mlu.utils import gpu_migration
