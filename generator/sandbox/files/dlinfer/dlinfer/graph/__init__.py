# Copyright (c) scaffold. A sandbox counterpart in the form of dlinfer, not its code.
from dlinfer.utils.config import Config


config = Config(enable_graph_mode=False)
