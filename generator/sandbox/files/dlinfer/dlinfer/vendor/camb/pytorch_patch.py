# Sandbox counterpart written for scaffold, in the form of dlinfer.
import torch_mlu
from torch_mlu.utils import gpu_migration
