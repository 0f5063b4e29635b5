"""Falcon resources of the API: one module per group of routes."""
