"""Receive the events with which object stores report new files, over HTTP or from a queue."""
