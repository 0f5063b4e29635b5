"""
Why an outgoing request was not made, or did not succeed.
"""

from hvcore.errors import HvcoreError


class TargetRefusedError(HvcoreError):
    """
    The address is one that the service does not go to, now or later.

    Args:
        reason: A sentence for the caller: which rule refused it. Holds
            neither userinfo nor path nor query.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class OutboundError(HvcoreError):
    """
    The other side cannot be reached, was too slow or answers nonsense.

    Another attempt may succeed. Its text is a sentence without userinfo, path
    and query.
    """
