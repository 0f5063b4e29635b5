"""The edge: a caching nginx in front of delivery, with its configuration and its counts of segments."""
