"""
Run calls on a few threads, in turn by client, with a bounded number of waiting calls.

A client is an IP address, for example, and asks for something that belongs to an organization.
Organizations and clients take turns: one that was served a moment ago comes after those
that were not. If all waiting places are taken, a client with more places than a newcomer
loses one to it: so no client can fill them all.
"""

import itertools
import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final, TypeVar

import attrs

from hvcore.errors import UnavailableError
from hvcore.throttling.shares import REFUSALS, share_refusal

_T = TypeVar("_T")
_MAX_KNOWN: Final = 1_024
"""Organizations and clients that were served; the rest count as new."""


@attrs.frozen(eq=False)
class _Waiting:
    organization: str
    client: str
    number: int
    work: Callable[[], object]
    done: "Future[Any]" = attrs.field(factory=Future)


@attrs.define(kw_only=True, eq=False)
class FairThreads:
    """
    A pool of threads, and the calls that wait for it; thread-safe.

    The threads end with this object.

    Attributes:
        name: The name of the setting that limits a client's share, for the log.
        threads: The number of threads. One client gets all but one of them at most.
        places: The number of calls that may wait.
        most_of_one: The most calls, running and waiting, that one client may have.
        things: The word for the calls in messages: ``Too many {things} at a time``.
    """

    name: str
    threads: int
    places: int
    most_of_one: int
    things: str
    _lock: threading.Lock = attrs.field(factory=threading.Lock, init=False)
    _numbers: Iterator[int] = attrs.field(factory=itertools.count, init=False)
    _waiting: list[_Waiting] = attrs.field(factory=list, init=False)
    # Not given to the threads themselves: see _run.
    _begun: deque[_Waiting] = attrs.field(factory=deque, init=False)
    # By client.
    _running: Counter[str] = attrs.field(factory=Counter, init=False)
    # When each organization, and each client, had its last turn.
    _served: OrderedDict[tuple[str, str], int] = attrs.field(
        factory=OrderedDict, init=False
    )
    _pool: ThreadPoolExecutor = attrs.field(init=False)

    @_pool.default
    def _make_pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.threads, thread_name_prefix=self.name)

    def submit(
        self, organization: str, client: str, work: Callable[[], _T]
    ) -> "Future[_T]":
        """
        Queue a call of ``work``, and return its future; the call runs on a thread when its turn comes.

        Args:
            organization: The organization whose turn the call takes.
            client: A name of the client, which has a limited number of calls at a time. If all
                waiting places are taken, a waiting call of a client with more places gives way.

        Raises:
            ShareMetError: The client has as many calls as it may have.
            UnavailableError: All waiting places are taken, by clients with no more places than
                this client.
        """
        with self._lock:
            if self._in_hand(client) >= self.most_of_one:
                raise self._refusal(is_own_share_met=True)
            displaced = None
            if len(self._waiting) >= self.places:
                displaced = self._displaced_by(organization, client)
                if displaced is None:
                    raise self._refusal(is_own_share_met=False)
                self._waiting.remove(displaced)
            one = _Waiting(organization, client, next(self._numbers), work)
            self._waiting.append(one)
        # By its number: it has the future, which keeps its callbacks.
        number = one.number
        one.done.add_done_callback(lambda _: self._leave(number))
        # Else it was cancelled meanwhile.
        if displaced is not None and displaced.done.set_running_or_notify_cancel():
            displaced.done.set_exception(self._refusal(is_own_share_met=False))
        self._begin()
        return one.done

    def _in_hand(self, client: str) -> int:
        waiting = sum(one.client == client for one in self._waiting)
        return waiting + self._running[client]

    def _refusal(self, *, is_own_share_met: bool) -> UnavailableError:
        REFUSALS.add(self.name)
        return share_refusal(self.things, is_own_share_met=is_own_share_met)

    def _displaced_by(self, organization: str, client: str) -> _Waiting | None:
        """Return the newest waiting call of a caller with the most places, to give way."""
        organizations = Counter(one.organization for one in self._waiting)
        clients = Counter(one.client for one in self._waiting)
        # One more for who comes: they would only change places.
        fewer = [
            one
            for one in self._waiting
            if organizations[one.organization] > organizations[organization] + 1
            or (
                clients[one.client] > clients[client] + 1
                # Its own organization may have few places.
                and organizations[one.organization] >= organizations[organization]
            )
        ]
        return max(
            fewer,
            key=lambda one: (
                organizations[one.organization],
                clients[one.client],
                one.number,
            ),
            default=None,
        )

    def _begin(self) -> None:
        """Begin the waiting calls in their turn, while threads are free."""
        with self._lock:
            while self._running.total() < self.threads:
                one = min(
                    (one for one in self._waiting if self._may_begin(one.client)),
                    key=self._turn,
                    default=None,
                )
                if one is None:
                    return
                self._waiting.remove(one)
                self._running[one.client] += 1
                self._note_turn(one)
                self._begun.append(one)
                self._pool.submit(self._run)

    def _may_begin(self, client: str) -> bool:
        return self._running[client] < max(1, self.threads - 1)

    def _turn(self, one: _Waiting) -> tuple[int, int, int]:
        organization = self._served.get(("organization", one.organization), -1)
        client = self._served.get(("client", one.client), -1)
        return max(organization, client), client, one.number

    def _note_turn(self, one: _Waiting) -> None:
        turn = next(self._numbers)
        for who in (("organization", one.organization), ("client", one.client)):
            self._served.pop(who, None)
            self._served[who] = turn
        while len(self._served) > _MAX_KNOWN:
            self._served.popitem(last=False)

    def _run(self) -> None:
        one = self._begun.popleft()
        try:
            if not one.done.set_running_or_notify_cancel():
                return
            try:
                made = one.work()
            except BaseException as exc:  # noqa: BLE001 - who waits for it raises it
                one.done.set_exception(exc)
            else:
                one.done.set_result(made)
        finally:
            with self._lock:
                self._running[one.client] -= 1
                if not self._running[one.client]:
                    del self._running[one.client]
            # An error has this frame and the pool's, and the future has the error: the
            # picture of the work would stay until the collector comes.
            del one
            self._begin()

    def _leave(self, number: int) -> None:
        with self._lock:
            self._waiting = [one for one in self._waiting if one.number != number]
