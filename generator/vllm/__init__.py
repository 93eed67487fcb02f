"""Read a checkpoint, decide what vLLM needs for it, register it, and hold the evidence that it works."""
