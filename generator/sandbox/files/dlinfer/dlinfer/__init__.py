# Copyright (c) scaffold. A sandbox counterpart in the form of dlinfer, not its code.
import dlinfer.vendor as vendor

vendor.vendor_torch_init()
__version__ = "0.2.8"
