"""The static rules V01 to V17 of one model: registration, adapter, keys, artefacts. One rule a file, with its cases."""
