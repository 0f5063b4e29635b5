"""Receive the events by which object stores report new files."""
