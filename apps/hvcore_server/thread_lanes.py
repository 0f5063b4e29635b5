"""The threads of a process, of which a few are reserved for monitors' requests."""

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
    The threads for an app's usual requests, and those reserved for monitors' requests.

    Attributes:
        monitored: The paths with which monitors check the process: they have threads of their
            own, so that a busy process is not taken for a dead one.
        requests: The use of threads by usual requests.
        checks: The use of the reserved threads.
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
        Return the threads of an app as its settings divide them.

        Args:
            threads: The number of threads for all requests but monitors'.
            monitored: The paths with which monitors check the process.
            start: Gives a connection's request a thread.
            refuse: Answers a connection that no thread is free.
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
        """Return whether a request's head asks for one of the monitored paths with GET or HEAD."""
        method, _, rest = head.partition(b" ")
        path = rest.partition(b" ")[0].partition(b"?")[0]
        return path in self.monitored and method in _METHODS

    def of_request(self, conn: Any) -> SharedThreads:  # noqa: ANN401 - gunicorn's own
        """Return the threads from which a connection's request gets one: the usual or the reserved."""
        return self.checks if conn.is_monitored else self.requests

    def end_late(self, now: float) -> None:
        """
        Refuse the requests that have waited for a thread longer than allowed.

        Args:
            now: The present time of the monotonic clock, in seconds.
        """
        self.requests.end_late(now)
        self.checks.end_late(now)
