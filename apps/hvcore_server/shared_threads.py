"""
Choose the order in which waiting requests get threads, so that clients share them fairly.

If a client has its share of threads, its further requests wait, and those of other clients go
first. For the main thread of a process alone.
"""

import time
from collections import deque
from collections.abc import Callable
from typing import Any, Final

import attrs

from hvcore.errors import UnavailableError
from hvcore.throttling.shares import BUSY_RETRY_AFTER_S, REFUSALS, SharedCapacity

WAITS_AT_MOST_S: Final = 5.0
"""The most seconds that a request waits for a thread: a longer wait would hold connections
that others need, and most requests take some milliseconds."""


@attrs.frozen
class _Waiting:
    conn: Any
    until: float


@attrs.define(kw_only=True)
class SharedThreads:
    """
    The use of a number of threads by clients, and the requests that wait for a thread.

    Attributes:
        threads: The number of threads, and how many of them one client may have.
        most_waiting: The most waiting requests of one client.
        start: Gives a connection's request a thread.
        refuse: Answers a connection that no thread is free.
    """

    threads: SharedCapacity
    most_waiting: int
    start: Callable[[Any], None]
    refuse: Callable[[Any, UnavailableError], None]
    waits_at_most_s: float = WAITS_AT_MOST_S
    _waiting: dict[str, deque[_Waiting]] = attrs.field(factory=dict, init=False)

    def ask(self, client: str, conn: Any) -> None:  # noqa: ANN401 - gunicorn's own
        """
        Start a connection's request, have it wait for its turn, or refuse it if too many wait.

        Args:
            client: The client that sent the request.
            conn: The request's connection.
        """
        queue = self._waiting.get(client)
        if queue is None and self._may_start(client):
            self.start(conn)
            return
        if queue is None:
            queue = self._waiting[client] = deque()
        if len(queue) >= self.most_waiting:
            self._refuse(conn)
            return
        queue.append(_Waiting(conn, time.monotonic() + self.waits_at_most_s))

    def done(self, client: str) -> None:
        """Take a thread back from a client, and start waiting requests."""
        self.threads.release(client)
        if self._waiting:
            self._start_others()

    def end_late(self, now: float) -> None:
        """
        Refuse the requests that have waited for a thread longer than allowed.

        Args:
            now: The present time of the monotonic clock, in seconds.
        """
        for client, queue in list(self._waiting.items()):
            while queue and queue[0].until <= now:
                self._refuse(queue.popleft().conn)
            if not queue:
                del self._waiting[client]

    def _start_others(self) -> None:
        # In turn: who gets a thread stands last after that.
        for client in list(self._waiting):
            if not self._may_start(client):
                continue
            queue = self._waiting.pop(client)
            self.start(queue.popleft().conn)
            if queue:
                self._waiting[client] = queue

    def _may_start(self, client: str) -> bool:
        if not self.threads.may_take(client):
            return False
        # Nobody else takes of it: this thread is the only one.
        self.threads.acquire(client)
        return True

    def _refuse(self, conn: Any) -> None:  # noqa: ANN401 - gunicorn's own
        REFUSALS.add(self.threads.name)
        self.refuse(
            conn,
            UnavailableError(
                "Too many requests are being answered; try again soon.",
                retry_after_s=BUSY_RETRY_AFTER_S,
            ),
        )
