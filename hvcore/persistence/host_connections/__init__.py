"""Connections of other programs, in one of whose transactions this package works."""
