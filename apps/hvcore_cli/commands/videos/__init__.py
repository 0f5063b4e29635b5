"""Commands about videos: upload, demonstration, conformance, refused playback."""
