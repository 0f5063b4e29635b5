"""Logs of processes: their lines and files."""
