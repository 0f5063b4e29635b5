"""
Measure the service for Prometheus; the module ``declared`` lists all metrics.

Measuring is off at first. Processes of ``hv`` write metrics to a folder of the machine if a
setting asks for it; in a program that embeds the service, the metrics are in its own Prometheus
registry.
"""

from hvcore.metrics.measuring import switch_on, write_to

__all__ = ["switch_on", "write_to"]
