"""
The metrics of the service; ``declared`` lists all.

Off at first: processes of ``hv`` write to a folder of the machine if they are told to, a
program that embeds the service has the metrics in its own registry.
"""

from hvcore.metrics.measuring import switch_on, write_to

__all__ = ["switch_on", "write_to"]
