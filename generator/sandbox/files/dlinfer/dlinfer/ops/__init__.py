# Sandbox counterpart written for scaffold, in the form of dlinfer.
from .llm import *
