"""
The connections of a process, by client.

A connection that sends nothing costs little, but there are only so many. For the
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
"""To look through all of them for each new one would cost more."""
_FORWARDED: Final = b"\r\nx-forwarded-for:"


@attrs.define(kw_only=True)
class OpenConnections:
    """
    Open connections by client.

    Attributes:
        shares: What one address may hold.
    """

    shares: SharedCapacity
    _open: Counter[str] = attrs.field(factory=Counter, init=False)

    def open(self, neighbour: str) -> None:
        """
        Count a new one.

        Raises:
            UnavailableError: The address has its share.
        """
        client, is_own = client_of(neighbour)
        if not is_own:
            # Behind our own proxy are many clients.
            self.shares.acquire(client)
        self._open[client] += 1

    def close(self, neighbour: str) -> None:
        """Count one no longer."""
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
        Choose connections to be closed, so that the newcomer has one.

        Args:
            waiting: Those on which no request is answered, the oldest first.

        Raises:
            UnavailableError: There are none, or only those of clients that hold
                fewer than the newcomer.
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
    """Return the neighbour of a connection; a unix socket's peer has no address."""
    return str(address[0]) if address else ""


@lru_cache(maxsize=MAX_CACHED)
def client_of(address: str) -> tuple[str, bool]:
    """Return the client of an address, and whether it is a proxy of ours."""
    return client_of_address(address), PROXIES.is_proxy(address)


def sender_of(neighbour: str, head: bytes) -> str:
    """Return the client that has sent a request, past our own proxy."""
    client, is_own = client_of(neighbour)
    if not is_own:
        return client
    _, found, rest = head.lower().rpartition(_FORWARDED)
    if not found:
        return client
    forwarded = rest.partition(b"\r\n")[0].decode("latin-1").strip(" \t")
    return client_of(client_address(neighbour, forwarded))[0]
