"""What vLLM needs for a checkpoint: nothing, an alias, a subclass, or a new class; by probing the user's checkouts."""
