"""Signed playback addresses, and the keys that sign tokens."""
