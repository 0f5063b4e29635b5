"""Serve the metrics of all processes of a machine to Prometheus."""
