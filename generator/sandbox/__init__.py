"""A small workspace of our own making, to try the commands on: written as plain files under `files/`."""
