"""The names of the weights: grouped, explained, paired with their scales."""
