"""Signed playback addresses, and the keys that sign playback tokens."""
