"""Counts of served segments, forwarded through a Redis stream."""
