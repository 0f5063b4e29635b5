"""
Count and limit the open connections of a process, by client.

A connection that sends nothing costs little, but a process can have only so many. For the
main thread of a process alone.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

import attrs

from hvcore.errors import UnavailableError
from hvcore.throttling.shares import REFUSALS, SharedCapacity, client_of_address
from hvcore_web.proxies import PROXIES
from hvcore_web.viewers import client_address

MAX_CACHED: Final = 4096
MADE_FREE_AT_A_TIME: Final = 8
"""The number of connections of one client that are closed at a time; to search all
connections for each new connection would cost more."""
_FORWARDED: Final = b"\r\nx-forwarded-for:"


@attrs.define(kw_only=True)
class OpenConnections:
    """
    The number of open connections of each client, with a limit for each.

    Attributes:
        shares: The capacity for connections, and the most that one client may hold.
    """

    shares: SharedCapacity
    _open: Counter[str] = attrs.field(factory=Counter, init=False)

    def open(self, neighbour: str) -> None:
        """
        Count a new connection from an IP address.

        Raises:
            UnavailableError: The address's client has as many connections as it may have.
        """
        client, is_own = client_of(neighbour)
        if not is_own:
            # Behind our own proxy are many clients.
            self.shares.acquire(client)
        self._open[client] += 1

    def close(self, neighbour: str) -> None:
        """Count a connection from an IP address as closed."""
        client, is_own = client_of(neighbour)
        if not is_own:
            self.shares.release(client)
        self._open[client] -= 1
        if not self._open[client]:
            del self._open[client]

    def make_room(
        self,
        newcomer: str,
        waiting: Iterable[Any],  # gunicorn's own
    ) -> list[Any]:
        """
        Return the connections that are to be closed so that a new client can connect.

        They are connections of the client that has the most.

        Args:
            newcomer: The IP address of the new client.
            waiting: The connections on which no request is being answered, the oldest first.

        Raises:
            UnavailableError: No connection is waiting, or the client with the most waiting
                connections has fewer connections than the newcomer.
        """
        by_client: defaultdict[str, list[Any]] = defaultdict(list)
        for conn in waiting:
            by_client[client_of(neighbour_of(conn.client))[0]].append(conn)
        client, _ = client_of(newcomer)
        most = max(by_client, key=self._open.__getitem__, default=None)
        if most is None or self._open[most] < self._open[client]:
            REFUSALS.add(self.shares.name)
            raise UnavailableError("There are too many connections; try again soon.")
        return by_client[most][:MADE_FREE_AT_A_TIME]


def neighbour_of(address: Any) -> str:  # noqa: ANN401 - of a socket
    """Return the IP address in a socket address; empty for a unix socket, which has none."""
    return str(address[0]) if address else ""


@lru_cache(maxsize=MAX_CACHED)
def client_of(address: str) -> tuple[str, bool]:
    """
    Return the client that an IP address stands for, and whether the address is a trusted proxy's.

    Connections and threads are shared out among clients.
    """
    return client_of_address(address), PROXIES.is_proxy(address)


def sender_of(neighbour: str, head: bytes) -> str:
    """
    Return the client that sent a request; behind a trusted proxy, by ``X-Forwarded-For``.

    Args:
        neighbour: The IP address at the other end of the connection.
        head: The request line and the headers.
    """
    client, is_own = client_of(neighbour)
    if not is_own:
        return client
    _, found, rest = head.lower().rpartition(_FORWARDED)
    if not found:
        return client
    forwarded = rest.partition(b"\r\n")[0].decode("latin-1").strip(" \t")
    return client_of(client_address(neighbour, forwarded))[0]
