"""
Outgoing HTTP that reaches public addresses and nothing else.

Every request that the service makes on somebody's behalf goes through
:class:`OutboundHttp`; there is no second way out.
"""

from hvcore.safe_http.client import OutboundHttp, OutboundResponse, StreamedResponse
from hvcore.safe_http.errors import OutboundError, TargetRefusedError

__all__ = [
    "OutboundError",
    "OutboundHttp",
    "OutboundResponse",
    "StreamedResponse",
    "TargetRefusedError",
]
