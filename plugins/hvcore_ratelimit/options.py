"""The settings of the rate limit store ``moving-window``."""

import attrs


@attrs.frozen(kw_only=True)
class MovingWindowOptions:
    """
    Settings under ``[limits.options]``.

    Attributes:
        url: The address of the Redis or Valkey that all processes share: ``redis://…``,
            ``rediss://…`` or ``unix:///path/to/socket``. Empty: the address of the
            queue ``rq``; with another queue every process counts for itself.
        prefix: The beginning of the keys' names, where several services share a server.
    """

    url: str = attrs.field(default="", repr=False)
    prefix: str = "hvcore:limits"
