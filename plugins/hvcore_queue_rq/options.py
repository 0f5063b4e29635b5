"""The settings of the queue ``rq``."""

import attrs


@attrs.frozen(kw_only=True)
class RqOptions:
    """
    Settings under ``[queue.options]``.

    Attributes:
        url: The address of the server: ``redis://…``, ``rediss://…`` or
            ``unix:///path/to/socket``.
        prefix: The beginning of the queues' names, where several services share a
            server.
    """

    url: str = attrs.field(repr=False)
    prefix: str = "hvcore"
