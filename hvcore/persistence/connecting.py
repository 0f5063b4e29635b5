"""
New connections to a server that may be silent, or to whichever of several is the primary.

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
    Opens connections, but not just after a server was too silent for one; thread-safe.

    The host that took the last connection is asked first. One that refuses costs
    milliseconds, as does a standby, and the next one is asked. Nobody waits for more than
    one that is silent: the next attempt begins behind it.
    """

    def __init__(self) -> None:
        # By the number of the host. Threads may overwrite what others have seen, which
        # is as new.
        self._again_at_s: dict[int, float] = {}
        self._first = 0

    def __call__(self, hosts: Sequence[Open]) -> Any:  # noqa: ANN401 - the driver's
        """
        Open one.

        Args:
            hosts: One for each host, always in the same order; at least one.

        Raises:
            UnavailableError: All were silent a moment ago.
            psycopg.OperationalError: None takes a connection.
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
    Return a function for each host of the arguments that opens a connection.

    Args:
        connect: Takes the arguments.
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
