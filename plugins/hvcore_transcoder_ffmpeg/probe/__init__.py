"""Examine an uploaded file without trusting its content."""
