"""Counts of served segments, handed on through a Redis stream."""
