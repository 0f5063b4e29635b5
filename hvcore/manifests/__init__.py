"""Playlists: text in, text out, no I/O."""
