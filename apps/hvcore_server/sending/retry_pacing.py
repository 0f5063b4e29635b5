"""
Delay requests that repeat a refused or costly request at once: they run one after the other.

A client that sends on after 429 costs as much as one whose requests are answered: each
refusal takes a thread, and a client that is refused sooner sends the next one sooner.
So a request that is similar to one refused a moment ago waits for its turn, without a
thread. The app still decides about each. A stored file has cost more than a refusal, so
similar requests after it are delayed, too, at a slower pace. For the main thread of a
process alone.
"""

import heapq
import itertools
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, Final

import attrs

from hvcore.errors import UnavailableError
from hvcore.throttling.shares import BUSY_RETRY_AFTER_S, REFUSALS
from hvcore_server.arriving_request import only_value

ONE_EVERY_S: Final = 0.05
"""The seconds between two answers to one client, path and credential after a refusal; clients
that wait as the 429 tells them never notice."""
FORGOTTEN_AFTER_S: Final = 1.0
"""The seconds after the last refusal from which requests of the same kind are no longer
delayed."""
WAITS_AT_MOST_S: Final = 5.0
MAX_KNOWN: Final = 1_000
"""The most kinds of requests that are remembered; the first refused is forgotten first."""
_CREDENTIALS: Final = (b"\r\nauthorization:", b"\r\nx-api-key:", b"\r\ncookie:")
_NAME: Final = "refused_again"


@attrs.define
class _Kind:
    """
    Requests that are refused alike.

    Attributes:
        last_refused: Of time.monotonic, as all times here.
        next_turn: When the next request may go on.
        every_s: How long after that the next but one may.
    """

    last_refused: float
    next_turn: float
    every_s: float


@attrs.define(kw_only=True)
class RetryPacing:
    """
    The delayed requests, which are similar to a request that was just refused or cost much.

    Attributes:
        go_on: Called with a connection whose request may go on.
        refuse: Answers a connection for which too many similar requests wait.
        clock: Returns the time in seconds.
    """

    go_on: Callable[[Any], None]
    refuse: Callable[[Any, UnavailableError], None]
    clock: Callable[[], float] = time.monotonic
    # The one that was refused last stands last. They hold credentials.
    _kinds: OrderedDict[bytes, _Kind] = attrs.field(
        factory=OrderedDict, init=False, repr=False
    )
    _waiting: list[tuple[float, int, Any]] = attrs.field(factory=list, init=False)
    _numbers: Iterator[int] = attrs.field(factory=itertools.count, init=False)

    def note(
        self,
        client: str,
        head: bytes,
        *,
        of_all_below: bool = False,
        every_s: float = ONE_EVERY_S,
    ) -> None:
        """
        Remember that a rate limit has just refused a request, or that the request has cost much.

        Args:
            client: The client that sent the request.
            head: The request line and the headers.
            of_all_below: Whether all requests with the same first part of the path are
                similar.
            every_s: The seconds between two similar requests.
        """
        now = self.clock()
        exact, below = _kinds_of(client, head)
        name = below if of_all_below else exact
        kind = self._kinds.pop(name, None)
        if kind is None or now - kind.last_refused > FORGOTTEN_AFTER_S:
            kind = _Kind(now, now + every_s, every_s)
        kind.last_refused = now
        kind.every_s = max(kind.every_s, every_s)
        self._kinds[name] = kind
        self._forget(now)

    def ask(self, client: str, head: bytes, conn: Any) -> None:  # noqa: ANN401 - gunicorn's own
        """
        Let a request go on, delay it until its turn, or refuse it if its turn is over 5 s away.

        Args:
            client: The client that sent the request.
            head: The request line and the headers.
            conn: The request's connection.
        """
        names = _kinds_of(client, head) if self._kinds else ()
        kind = next((self._kinds[name] for name in names if name in self._kinds), None)
        now = self.clock()
        if kind is None or now - kind.last_refused > FORGOTTEN_AFTER_S:
            self.go_on(conn)
            return
        turn = max(now, kind.next_turn)
        if turn - now > WAITS_AT_MOST_S:
            REFUSALS.add(_NAME)
            self.refuse(
                conn,
                UnavailableError(
                    "Too many requests like this one wait for their turn; "
                    "wait as long as Retry-After says.",
                    retry_after_s=BUSY_RETRY_AFTER_S,
                ),
            )
            return
        kind.next_turn = turn + kind.every_s
        heapq.heappush(self._waiting, (turn, next(self._numbers), conn))

    def wait_s(self) -> float:
        """Return the seconds until the next delayed request may go on; infinite if none is delayed."""
        if not self._waiting:
            return float("inf")
        return max(0.0, self._waiting[0][0] - self.clock())

    def start_due(self) -> None:
        """Let the delayed requests whose turn has come go on."""
        while self._waiting and self._waiting[0][0] <= self.clock():
            self.go_on(heapq.heappop(self._waiting)[-1])

    def _forget(self, now: float) -> None:
        oldest = next(iter(self._kinds.values()))
        if (
            now - oldest.last_refused > FORGOTTEN_AFTER_S
            or len(self._kinds) > MAX_KNOWN
        ):
            self._kinds.popitem(last=False)


def _kinds_of(client: str, head: bytes) -> tuple[bytes, bytes]:
    """
    Return the two kinds of a request, by which refusals are remembered.

    Returns:
        Of those with the same path and credential, and of those with the same first part
        of the path, whatever credential they send: such addresses need none.
    """
    line, _, _ = head.partition(b"\r\n")
    path = line.rpartition(b" ")[0].partition(b"?")[0]
    lower = head.lower()
    sent = [only_value(lower, name) for name in _CREDENTIALS]
    below = b"/".join([*path.split(b"/", 2)[:2], b""])
    return b"\n".join([client.encode(), path, *sent]), b"\n".join(
        [client.encode(), below]
    )
