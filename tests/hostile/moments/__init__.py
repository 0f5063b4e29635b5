"""Storms of strangers on pictures at moments of a film."""
