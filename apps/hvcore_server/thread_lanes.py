"""The threads of a process: those of all requests, and a few that monitors have."""

from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import attrs

from hvcore.errors import UnavailableError
from hvcore.settings.shares import ShareSettings
from hvcore.throttling.shares import SharedCapacity
from hvcore_server.shared_threads import SharedThreads

MONITOR_THREADS: Final = 4
_METHODS: Final = frozenset({b"GET", b"HEAD"})
_THINGS: Final = "requests"


@attrs.frozen(kw_only=True)
class ThreadLanes:
    """
    The threads of an app's requests, and those of its monitors.

    Attributes:
        monitored: The paths that monitors ask for: they have threads of their own,
            so that a busy process is not taken for a dead one.
    """

    monitored: Collection[bytes]
    requests: SharedThreads
    checks: SharedThreads
    monitors: ThreadPoolExecutor = attrs.field(init=False)

    @monitors.default
    def _make_monitors(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(MONITOR_THREADS, thread_name_prefix="monitor")

    @classmethod
    def of(
        cls,
        shares: ShareSettings,
        *,
        threads: int,
        monitored: Collection[str],
        start: Callable[[Any], None],
        refuse: Callable[[Any, UnavailableError], None],
    ) -> "ThreadLanes":
        """
        Make the lanes of an app from its settings.

        Args:
            threads: Of all requests but those of monitors.
        """

        def lane(capacity: SharedCapacity) -> SharedThreads:
            return SharedThreads(
                threads=capacity,
                most_waiting=shares.connections_of_one,
                start=start,
                refuse=refuse,
            )

        return cls(
            monitored=frozenset(path.encode() for path in monitored),
            requests=lane(
                SharedCapacity(
                    name="threads_of_one",
                    capacity=threads,
                    most_of_one=shares.threads_of_one,
                    # Where there are few threads, not all are reserved.
                    reserved_for_newcomers=min(shares.threads_reserved, threads // 2),
                    things=_THINGS,
                )
            ),
            checks=lane(
                SharedCapacity(
                    name="monitor_threads",
                    capacity=MONITOR_THREADS,
                    most_of_one=MONITOR_THREADS // 2,
                    things=_THINGS,
                )
            ),
        )

    def is_monitored(self, head: bytes) -> bool:
        """Return whether a request is one of a monitor."""
        method, _, rest = head.partition(b" ")
        path = rest.partition(b" ")[0].partition(b"?")[0]
        return path in self.monitored and method in _METHODS

    def of_request(self, conn: Any) -> SharedThreads:  # noqa: ANN401 - gunicorn's own
        """Return the threads that a connection's request may have."""
        return self.checks if conn.is_monitored else self.requests

    def end_late(self, now: float) -> None:
        """Refuse requests that have waited for too long."""
        self.requests.end_late(now)
        self.checks.end_late(now)
