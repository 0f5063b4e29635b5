"""
Attacks that once stopped others, replayed.
"""
