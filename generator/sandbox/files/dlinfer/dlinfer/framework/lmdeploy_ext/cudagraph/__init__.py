# Copyright (c) scaffold. A sandbox counterpart in the form of dlinfer, not its code.
import importlib
from dlinfer.vendor import vendor_name


graph_vendor = ["ascend", "maca", "camb"]


def vendor_graph_init():
    if vendor_name in graph_vendor:
        importlib.import_module(f".{vendor_name}_cudagraph", __package__)


vendor_graph_init()
