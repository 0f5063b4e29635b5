"""The errors of outgoing requests that were refused or failed."""

from hvcore.errors import HvcoreError


class TargetRefusedError(HvcoreError):
    """
    The address is one that the service does not go to, now or later.

    Args:
        reason: A sentence for the caller: which rule refused it. Holds
            neither userinfo nor path nor query.
        allowed_as: What ``fetch.allowed_hosts`` would have to list for it; None
            if no setting allows it. For operators: a caller cannot list it.
    """

    def __init__(self, reason: str, *, allowed_as: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.allowed_as = allowed_as


class OutboundError(HvcoreError):
    """
    The other side cannot be reached, was too slow or answers nonsense.

    Another attempt may succeed. Its text is a sentence without userinfo, path
    and query.
    """
