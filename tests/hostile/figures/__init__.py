"""Strangers who want figures to change, or to see those of others."""
