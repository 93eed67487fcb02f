"""The parts that a checkpoint asks for, and the answers that its adapter is composed from."""
