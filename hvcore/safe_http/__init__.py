"""
Outgoing HTTP that reaches public addresses and nothing else.

Every request that the service makes on somebody's behalf goes through
:class:`OutboundHttp`; there is no second way out.
"""

from hvcore.safe_http.client import Answer, Download, OutboundHttp
from hvcore.safe_http.errors import OutboundError, TargetRefusedError

__all__ = [
    "Answer",
    "Download",
    "OutboundError",
    "OutboundHttp",
    "TargetRefusedError",
]
