# Copyright (c) scaffold. A sandbox counterpart in the form of dlinfer, not its code.
import importlib
from dlinfer.vendor import vendor_name


awq_vendor = ["ascend"]


def vendor_quant_init():
    if vendor_name in awq_vendor:
        importlib.import_module(f".{vendor_name}_awq", __package__)


vendor_quant_init()
