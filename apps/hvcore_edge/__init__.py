"""The edge: an nginx that caches in front of delivery, with its configuration and counts."""
