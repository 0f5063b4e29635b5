"""
Open connections to a PostgreSQL server that may be silent, or to the primary of several.

The driver tries several hosts by itself, but always from the first one on: a host whose
machine is gone would hold up each new connection.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

from hvcore.errors import UnavailableError

NO_ANSWER: Final = "The database does not answer."
NO_ROOM: Final = "There is no room on the disk of the database; try again later."
REFUSED_FOR_S: Final = 1.0
"""After a connection that did not come about: else requests that wait for a thread would
wait for each other's attempts, too."""

Open: TypeAlias = Callable[[], Any]


class Connecting:
    """
    Open connections, and skip servers that were silent a moment ago; thread-safe.

    The host that took the last connection is asked first. A host that refuses, or is a
    standby, costs milliseconds, and the next host is asked. A caller waits for one silent
    host at most: the next call begins with the host after that.
    """

    def __init__(self) -> None:
        # By the number of the host. Threads may overwrite what others have seen, which
        # is as new.
        self._again_at_s: dict[int, float] = {}
        self._first = 0

    def __call__(self, hosts: Sequence[Open]) -> Any:  # noqa: ANN401 - the driver's
        """
        Open a connection to the first host that takes one, and return it.

        Args:
            hosts: A function for each host that opens a connection to it, always in the same
                order; at least one.

        Raises:
            UnavailableError: All hosts were silent a moment ago.
            psycopg.OperationalError: No host takes a connection.
        """
        from psycopg import OperationalError  # noqa: PLC0415 - see AnswerLimit
        from psycopg.errors import ConnectionTimeout  # noqa: PLC0415 - see above

        refused: OperationalError | None = None
        for number in self._order(len(hosts)):
            try:
                driver = hosts[number]()
            except ConnectionTimeout:
                self._again_at_s[number] = time.monotonic() + REFUSED_FOR_S
                self._first = (number + 1) % len(hosts)
                raise
            except OperationalError as error:
                refused = error
            else:
                self._first = number
                return driver
        if refused is None:
            raise UnavailableError(NO_ANSWER)
        raise refused

    def _order(self, hosts: int) -> Sequence[int]:
        now_s, first = time.monotonic(), self._first
        order = (*range(first, hosts), *range(first))
        return [n for n in order if now_s >= self._again_at_s.get(n, 0.0)]


def openings(connect: Callable[..., Any], arguments: Mapping[str, Any]) -> list[Open]:
    """
    Return one function for each host that the connection arguments name; it opens a connection to that host.

    Args:
        connect: Opens a connection with the arguments of one host.
    """
    hosts = str(arguments.get("host", "")).split(",")
    if len(hosts) == 1 or "hostaddr" in arguments:
        return [partial(connect, **arguments)]
    ports = str(arguments.get("port", "")).split(",")
    # One port is for all hosts.
    ports = ports * len(hosts) if len(ports) == 1 else ports
    # A standby takes connections, too, and no writes.
    wanted = {"target_session_attrs": "read-write", **arguments}
    return [
        partial(connect, **{**wanted, "host": host, "port": port or None})
        for host, port in zip(hosts, ports, strict=True)
    ]
