"""The edge: nginx in front of delivery, its configuration and its counts."""
