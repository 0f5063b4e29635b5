"""Confine, start and supervise the programs that touch what strangers have uploaded."""
