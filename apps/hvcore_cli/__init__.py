"""The command line, ``hv``."""
