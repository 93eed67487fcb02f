"""scaffold: code generation for people who port LLMs to Ascend, Cambricon and MetaX devices."""

__version__ = "0.1.0"
