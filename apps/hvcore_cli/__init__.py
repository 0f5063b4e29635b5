"""
The command line, ``hv``.
"""
