# Sandbox counterpart written for scaffold, in the form of dlinfer.
import dlinfer.vendor as vendor

vendor.vendor_torch_init()
__version__ = "0.2.8"
