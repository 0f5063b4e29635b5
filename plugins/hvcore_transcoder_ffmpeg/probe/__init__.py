"""Examine an uploaded file, without trusting it."""
