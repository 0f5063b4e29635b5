"""
Make outgoing HTTP requests to public IP addresses and allowed hosts, and to nothing else.

Every request that the service makes for a caller goes through :class:`OutboundHttp`.
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
