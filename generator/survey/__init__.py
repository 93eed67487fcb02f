"""What upstream has: the only code that reads its layers, by `ast`, never by importing them."""
