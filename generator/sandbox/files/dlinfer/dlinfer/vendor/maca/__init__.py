from .maca_ops import *

device_str = "cuda"
