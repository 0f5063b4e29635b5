"""Render the playlists and manifests of videos: text in, text out, no I/O."""
