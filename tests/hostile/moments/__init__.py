"""Strangers who ask for pictures at moments of a film."""
