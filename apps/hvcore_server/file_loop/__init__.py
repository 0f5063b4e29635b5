"""The loop that sends published files on all connections in turn."""
