"""Processes of a machine: children that end with them, heartbeats, rounds and limits of time."""
