"""Define the errors of outgoing requests that were refused or failed."""

from hvcore.errors import HvcoreError


class TargetRefusedError(HvcoreError):
    """
    The rules refuse the URL, now and later: the service does not connect to it.

    Args:
        reason: A sentence for the caller that tells the rule. It holds neither userinfo
            nor path nor query.
        allowed_as: The entry of ``fetch.allowed_hosts`` that would allow the URL; None if
            no setting allows it. For operators: callers cannot change the setting.
    """

    def __init__(self, reason: str, *, allowed_as: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.allowed_as = allowed_as


class OutboundError(HvcoreError):
    """
    The other server cannot be reached, was too slow or answered nonsense.

    Another attempt may succeed. The error's text is a sentence without userinfo, path
    and query.
    """
