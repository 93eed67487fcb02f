"""Proofs that an adapter runs: a child process with a real vLLM constructs it, loads it and compares its numbers.

The modules that the child runs import torch and vllm and nothing else of this package; the parent imports neither.
"""
