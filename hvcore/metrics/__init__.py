"""
Measure the service; module ``declared`` lists all metrics.

Measuring is off at first. Processes of ``hv`` write metrics to a folder of the machine if
they are told to; a program that embeds the service has them in its own Prometheus registry.
"""

from hvcore.metrics.measuring import switch_on, write_to

__all__ = ["switch_on", "write_to"]
