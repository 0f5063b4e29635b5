"""Thumbnails: the poster of a video in the sizes that viewers request."""
