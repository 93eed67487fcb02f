# Copyright (c) scaffold. A sandbox counterpart in the form of dlinfer, not its code.
import importlib
import os
from pathlib import Path


vendor_ops_registry = dict()
vendor_is_initialized = False
vendor_name_file = Path(__file__).parent / "vendor.yaml"
vendor_name = os.getenv("DLINFER_VENDOR", "camb")
dispatch_key = "PrivateUse1"

if vendor_name_file.exists():
    import yaml

    config = yaml.safe_load(vendor_name_file.read_text())
    vendor_name = config["vendor"]
    dispatch_key = config["dispatch_key"]


def vendor_torch_init():
    global vendor_is_initialized
    importlib.import_module(f".{vendor_name}", __package__)
    vendor_is_initialized = True
