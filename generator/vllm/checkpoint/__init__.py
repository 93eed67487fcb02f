"""The files of a checkpoint as data: bounded, never imported, never executed."""
