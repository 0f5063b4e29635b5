"""Playlists and manifests: text in, text out, no I/O."""
