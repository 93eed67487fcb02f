"""What is declared: ops, parameters, types, vendors and names. Imports nothing from the rest of the package."""
