"""Native operators of the vendors: reading how they are called. Nothing here invents a call."""
