"""End connections in such a way that the client still receives the last answer."""

import selectors
import socket
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final

LINGER_S: Final = 2.0
"""
The seconds for which the connection of a refused client that still sends stays open: if it
were closed at once, the client would lose the answer (RFC 9112, section 9.6).
"""
_READ_BYTES: Final = 64 * 1024


class Lingering:
    """
    The half-closed connections, until their clients close them or 2 s have passed.

    Args:
        poller: The main thread's selector.
        drop: Closes a connection.
    """

    def __init__(
        self, poller: selectors.BaseSelector, *, drop: Callable[[Any], None]
    ) -> None:
        self._poller = poller
        self._drop = drop
        self._all: dict[Any, float] = {}

    def take(self, conn: Any) -> None:  # noqa: ANN401 - gunicorn's own
        """Close the sending side of a connection, and wait for the client to close the other."""
        try:
            conn.sock.shutdown(socket.SHUT_WR)
        except OSError:
            self._drop(conn)
            return
        self._all[conn] = time.monotonic() + LINGER_S
        discard = partial(self._discard, conn)
        self._poller.register(conn.sock, selectors.EVENT_READ, discard)

    def waiting(self) -> Iterable[Any]:
        """Return all half-closed connections, the oldest first."""
        return list(self._all)

    def give_up(self, conn: Any) -> bool:  # noqa: ANN401 - gunicorn's own
        """Close a connection; return False if it was not one of the half-closed connections."""
        if self._all.pop(conn, None) is None:
            return False
        self._poller.unregister(conn.sock)
        self._drop(conn)
        return True

    def look_after(self, now: float) -> None:
        """
        Close the connections that have been half closed for 2 s.

        Args:
            now: The present time of the monotonic clock, in seconds.
        """
        late = []
        for conn, until in self._all.items():
            if until > now:
                break
            late.append(conn)
        for conn in late:
            self.give_up(conn)

    def _discard(self, conn: Any, client: socket.socket) -> None:  # noqa: ANN401 - gunicorn's own
        try:
            more = client.recv(_READ_BYTES, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        except OSError:
            more = b""
        if not more:
            self.give_up(conn)
