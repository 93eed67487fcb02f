"""The checkouts that a command works on: found, and probed for the era of their style."""
