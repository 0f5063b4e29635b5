"""Captions by machine: what is said in a video is written down, window by window, and published."""
