# Sandbox counterpart written for scaffold, in the form of dlinfer.
import torch_npu
from torch_npu.contrib import transfer_to_npu
