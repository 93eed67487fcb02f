# Copyright (c) scaffold. A sandbox counterpart in the form of dlinfer, not its code.
import torch_npu
from torch_npu.contrib import transfer_to_npu
