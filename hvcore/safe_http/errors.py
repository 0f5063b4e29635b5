"""The errors of outgoing requests: refused by the rules, or failed."""

from hvcore.errors import HvcoreError


class TargetRefusedError(HvcoreError):
    """
    The rules for outgoing requests refuse a URL; another attempt would be refused, too.

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
    The server that an outgoing request is for cannot be reached, was too slow or answered nonsense.

    Another attempt may succeed. The error's text is a sentence without userinfo, path
    and query.
    """
