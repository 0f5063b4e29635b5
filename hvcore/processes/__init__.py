"""Start and watch processes of one machine: children that end with their parent, heartbeats, time limits."""
