"""
Objects that threads share: whatever reads or changes their state takes their lock.
"""

import logging
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, TypeAlias

import pytest

from hvcore.errors import UnavailableError
from hvcore.processes.fork_lock import ForkLock
from hvcore.services.access import rate_limits
from hvcore.spool import Spool
from hvcore.throttling.fair_threads import FairThreads
from hvcore.throttling.log_lines import LogLines
from hvcore.throttling.log_throttle import LogThrottle
from hvcore.throttling.shares import SharedCapacity, ShareRefusals
from hvcore.throttling.turns import TurnSlots
from hvcore_mediaconvert_local.job_store import JobStore
from hvcore_mediaconvert_local.jobs import LocalJobStatus

NOW = datetime(2026, 1, 1, tzinfo=UTC)
Calls: TypeAlias = "list[tuple[Callable[[], object], int]]"
"""Calls, and how often each takes the lock."""


class CountedLock:
    """
    A lock that counts how often it was taken.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self.taken = 0

    def __enter__(self) -> None:
        self._lock.acquire()
        self.taken += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._lock.release()


def counts(folder: Path) -> tuple[Any, Calls]:
    spool = Spool(folder)
    return spool, [
        (lambda: spool.write(b"line\n", segments=1), 1),
        (spool.write_owed, 1),
        (spool.close, 1),
    ]


def capacity(_: Path) -> tuple[Any, Calls]:
    slots = SharedCapacity(name="x", capacity=1, most_of_one=1, things="things")
    return slots, [
        (lambda: slots.acquire("a"), 1),
        (lambda: slots.may_take("b"), 1),
        (slots.is_scarce, 1),
        (lambda: slots.release("a"), 1),
    ]


def refusals(_: Path) -> tuple[Any, Calls]:
    made = ShareRefusals()
    return made, [(lambda: made.add("share"), 1), (lambda: made.total("share"), 1)]


def throttle(_: Path) -> tuple[Any, Calls]:
    made = LogThrottle(60)
    return made, [(lambda: made.is_time("name"), 1)]


def lines(_: Path) -> tuple[Any, Calls]:
    made, log = LogLines(), logging.getLogger()
    return made, [
        (lambda: made.write(log, 0, "message", client="a", extra={}), 1),
        (made.forget, 1),
    ]


def outage(_: Path) -> tuple[Any, Calls]:
    made = rate_limits._Outage()
    return made, [
        (lambda: made.may_ask(NOW), 1),
        (lambda: made.begin(NOW, UnavailableError("away")), 1),
        (made.end, 1),
    ]


def jobs(_: Path) -> tuple[Any, Calls]:
    made = JobStore(None)
    return made, [
        (lambda: made.job("1"), 1),
        (lambda: made.latest_of_token("token"), 1),
        (lambda: made.count(LocalJobStatus.SUBMITTED), 1),
        (lambda: made.put("queue", "name", {}), 1),
        (lambda: made.thing("queue", "name"), 1),
        (lambda: made.things("queue"), 1),
        (lambda: made.remove("queue", "name"), 1),
        (made.close, 1),
    ]


def slots_in_turn(_: Path) -> tuple[Any, Calls]:
    made = TurnSlots()
    return made, [
        (lambda: made.waiting, 1),
        (lambda: made.take("a", 0), 1),
        # Once more when the time is over.
        (lambda: made.take("b", 0), 2),
        (made.end, 1),
    ]


def threads(_: Path) -> tuple[Any, Calls]:
    made = FairThreads(name="x", threads=2, places=2, most_of_one=2, things="things")

    def run() -> None:
        made.submit("organization", "client", int).result()
        made._pool.shutdown()

    # Queued and begun; then left, given back, and the next one looked for.
    return made, [(run, 5)]


@pytest.mark.parametrize(
    "make",
    [
        *(counts, capacity, refusals, throttle, lines),
        *(outage, jobs, slots_in_turn, threads),
    ],
)
def test_each_call_takes_the_lock(
    tmp_path: Path, make: Callable[[Path], tuple[Any, Calls]]
) -> None:
    shared, calls = make(tmp_path)
    counted = CountedLock()
    name = "_changing" if hasattr(shared, "_changing") else "_lock"
    if isinstance(getattr(shared, name), ForkLock):
        shared, name = getattr(shared, name), "_lock"
    setattr(shared, name, counted)

    found = []
    for call, _ in calls:
        before = counted.taken
        call()
        found.append(counted.taken - before)

    assert found == [expected for _, expected in calls]
