"""The connections of the loop, and their owner besides it."""

import socket
from typing import Any, Protocol

import attrs

from hvcore_server.sending.socket_writer import SocketWriter
from hvcore_server.sending.transfers import Transfer


class ConnectionOwner(Protocol):
    """Serves, ends or closes the connections that the loop gives back."""

    def hand_over(self, conn: Any) -> None:  # noqa: ANN401 - gunicorn's own
        """Serve a request that the loop has read and does not answer itself."""
        ...

    def linger(self, conn: Any) -> None:  # noqa: ANN401 - gunicorn's own
        """End a connection whose last answer was sent."""
        ...

    def drop(self, conn: Any) -> None:  # noqa: ANN401 - gunicorn's own
        """Close a connection."""
        ...


@attrs.define(eq=False)
class LoopConnection:
    """
    A connection of the loop.

    Attributes:
        deadline: Of the next request, by the monotonic clock; it does not bind
            a transfer.
        awaited_bytes: The kernel wakes nobody before; 1 but for half requests.
        transfer: The answer that is on its way.
        closes: Whether that is the last one.
        has_answered: The loop has answered a request here before.
    """

    conn: Any
    sock: socket.socket
    wire: SocketWriter
    fd: int
    neighbour: str
    deadline: float
    awaited_bytes: int = 1
    transfer: Transfer | None = None
    closes: bool = False
    has_answered: bool = False
    is_gone: bool = False
