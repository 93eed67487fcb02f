# Sandbox counterpart written for scaffold, in the form of dlinfer.
from dlinfer.utils.config import Config


config = Config(enable_graph_mode=False)
