"""The process that serves the metrics of a machine."""
