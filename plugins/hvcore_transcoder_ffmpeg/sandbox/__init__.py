"""Confine, start and supervise the programs that read strangers' uploads."""
