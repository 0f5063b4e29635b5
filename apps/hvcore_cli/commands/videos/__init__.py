"""Commands about videos: upload, demo, conformance, refused playback."""
