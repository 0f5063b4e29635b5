"""
Requests take turns, and never wait for one that is stuck.
"""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from hvcore.throttling.turns import end_turn, work_for
from hvcore_server.request_lock import RequestLock
from tests.support.live import until

DEADLINE_S = 20
CLIENT = "192.0.2.1"


def test_one_goes_on_at_a_time() -> None:
    lock = RequestLock(patience_s=DEADLINE_S)
    running: list[int] = []
    seen: list[int] = []

    def work(number: int) -> None:
        with lock.turn_of(CLIENT):
            running.append(number)
            seen.append(len(running))
            running.remove(number)

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(work, range(2_000)))

    assert seen == [1] * 2_000


def test_stuck_requests_keep_nobody_waiting_for_long() -> None:
    lock, free, entered = RequestLock(), threading.Event(), threading.Barrier(4)

    def stick() -> None:
        with lock.turn_of(CLIENT):
            entered.wait(DEADLINE_S)
            free.wait(DEADLINE_S)

    def pass_by() -> str:
        with lock.turn_of(CLIENT):
            return "done"

    with ThreadPoolExecutor(4) as pool:
        stuck = [pool.submit(stick) for _ in range(3)]
        # All three are in: each took the turn of the one before it.
        entered.wait(DEADLINE_S)

        answer = pool.submit(pass_by).result(DEADLINE_S)

        assert not any(each.done() for each in stuck)
        free.set()
    assert answer == "done"


def test_a_client_with_one_request_waits_for_one_of_each_other_client(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A client that has spent more of the processor than others comes after them.
    monkeypatch.setattr(time, "thread_time", lambda: 0.0)
    lock, order = RequestLock(patience_s=DEADLINE_S), list[str]()
    waiting = [*["a"] * 5, *["b"] * 5, "c"]

    def work(client: str) -> None:
        with lock.turn_of(client):
            order.append(client)

    with ThreadPoolExecutor(len(waiting)) as pool, lock.turn_of("holder"):
        for number, client in enumerate(waiting, start=1):
            pool.submit(work, client)
            until(lambda n=number: lock.waiting == n, within_s=DEADLINE_S)

    assert order == ["a", "b", "c", *["a", "b"] * 4]


def test_a_request_that_waits_for_another_process_keeps_nobody_waiting() -> None:
    lock, free = RequestLock(patience_s=DEADLINE_S), threading.Event()

    def wait_for_database() -> None:
        with lock.turn_of(CLIENT):
            end_turn()
            free.wait(DEADLINE_S)

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(wait_for_database)

        assert work_alone(lock) == 1

        assert not waiting.done()
        free.set()
        waiting.result(DEADLINE_S)


def test_a_turn_that_ended_early_does_not_end_that_of_another() -> None:
    lock, order = RequestLock(patience_s=DEADLINE_S), list[str]()
    has_ended, may_go_on = threading.Event(), threading.Event()

    def wait_for_database() -> None:
        with lock.turn_of("first"):
            end_turn()
            has_ended.set()
            may_go_on.wait(DEADLINE_S)

    def follow() -> None:
        with lock.turn_of("third"):
            order.append("third")

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(wait_for_database)
        has_ended.wait(DEADLINE_S)
        with lock.turn_of("second"):
            third = pool.submit(follow)
            until(lambda: lock.waiting == 1, within_s=DEADLINE_S)
            may_go_on.set()
            first.result(DEADLINE_S)
            order.append("second")
        third.result(DEADLINE_S)

    assert order == ["second", "third"]


def test_patience_is_counted_from_the_beginning_of_a_turn() -> None:
    patience_s = 0.5
    lock, free = RequestLock(patience_s=patience_s), threading.Event()
    entered = threading.Event()

    def stick() -> None:
        with lock.turn_of(CLIENT):
            entered.set()
            free.wait(DEADLINE_S)

    with ThreadPoolExecutor(1) as pool:
        pool.submit(stick)
        entered.wait(DEADLINE_S)
        over_at = time.monotonic() + patience_s
        until(lambda: time.monotonic() > over_at, within_s=DEADLINE_S)
        began = time.monotonic()
        with lock.turn_of("another"):
            waited_s = time.monotonic() - began
        free.set()

    assert waited_s < patience_s / 2


def test_the_addresses_of_an_organization_are_one_client() -> None:
    lock, order = RequestLock(patience_s=DEADLINE_S), list[str]()

    def work(address: str) -> None:
        with lock.turn_of(address):
            work_for("org_a" if address.startswith("a") else "org_b")
            order.append(address)

    waiting = ["a1", "a2", "a3", "b1"]
    for address in waiting:
        work(address)
    order.clear()
    with ThreadPoolExecutor(len(waiting)) as pool, lock.turn_of("holder"):
        for number, address in enumerate(waiting, start=1):
            pool.submit(work, address)
            until(lambda n=number: lock.waiting == n, within_s=DEADLINE_S)

    assert order == ["a1", "b1", "a2", "a3"]


def test_a_client_that_took_much_processor_time_goes_behind_later_clients() -> None:
    lock, order = RequestLock(patience_s=DEADLINE_S), list[str]()

    def work(client: str) -> None:
        with lock.turn_of(client):
            order.append(client)

    with lock.turn_of("costly"):
        compute(0.2)
    waiting = ["costly", "costly", "another", "third"]
    with ThreadPoolExecutor(len(waiting)) as pool, lock.turn_of("holder"):
        for number, client in enumerate(waiting, start=1):
            pool.submit(work, client)
            until(lambda n=number: lock.waiting == n, within_s=DEADLINE_S)

    assert order == ["another", "third", "costly", "costly"]


def test_processor_time_is_that_of_the_organization_that_was_recognised() -> None:
    lock, order = RequestLock(patience_s=DEADLINE_S), list[str]()

    def work(address: str, org_id: str) -> None:
        with lock.turn_of(address):
            work_for(org_id)
            order.append(address)

    work("b1", "org_b")
    work("a2", "org_a")
    with lock.turn_of("a1"):
        work_for("org_a")
        compute(0.2)
    order.clear()
    with ThreadPoolExecutor(2) as pool, lock.turn_of("holder"):
        for number, (address, org_id) in enumerate(
            [("a2", "org_a"), ("b1", "org_b")], start=1
        ):
            pool.submit(work, address, org_id)
            until(lambda n=number: lock.waiting == n, within_s=DEADLINE_S)

    assert order == ["b1", "a2"]


def test_a_crash_gives_its_turn_back() -> None:
    lock = RequestLock(patience_s=DEADLINE_S)

    with pytest.raises(RuntimeError), lock.turn_of(CLIENT):
        raise RuntimeError

    assert work_alone(lock) == 1


def work_alone(lock: RequestLock) -> int:
    """
    Return how many went on at once of many that wanted to.
    """
    running: list[int] = []
    most = 0

    def work(number: int) -> None:
        nonlocal most
        with lock.turn_of(CLIENT):
            running.append(number)
            most = max(most, len(running))
            running.remove(number)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(500)))
    return most


def compute(seconds: float) -> None:
    """
    Take so much of the processor.
    """
    ends_s = time.thread_time() + seconds
    while time.thread_time() < ends_s:
        pass
