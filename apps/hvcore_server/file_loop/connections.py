"""The connections of the file loop, and the interface of the worker that owns them."""

import socket
from typing import Any, Protocol

import attrs

from hvcore_server.sending.socket_writer import SocketWriter
from hvcore_server.sending.transfers import Transfer


class ConnectionOwner(Protocol):
    """The worker that serves, ends or closes the connections that the file loop gives back."""

    def hand_over(self, conn: Any) -> None:  # noqa: ANN401 - gunicorn's own
        """Serve a request that the file loop has only peeked at and does not answer itself."""
        ...

    def linger(self, conn: Any) -> None:  # noqa: ANN401 - gunicorn's own
        """End a connection whose last answer was sent, once the client has received the answer."""
        ...

    def drop(self, conn: Any) -> None:  # noqa: ANN401 - gunicorn's own
        """Close a connection at once."""
        ...


@attrs.define(eq=False)
class LoopConnection:
    """
    A connection of the file loop.

    Attributes:
        deadline: The time by the monotonic clock until which the next request must have
            arrived; it does not limit a running transfer.
        awaited_bytes: The number of bytes that must have arrived before the kernel wakes
            the loop; 1, except while a request is incomplete.
        transfer: The answer that is being sent; None between answers.
        closes: Whether the connection ends after the answer that is being sent.
        has_answered: Whether the loop has answered an earlier request on this connection.
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
