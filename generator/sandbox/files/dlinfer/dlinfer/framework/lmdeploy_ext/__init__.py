# Sandbox counterpart written for scaffold, in the form of dlinfer.
from . import quants
from . import cudagraph
from . import device
