"""
Requests take turns, and never wait for one that is stuck.
"""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from hv_server.request_lock import RequestLock

DEADLINE_S = 20


def test_one_goes_on_at_a_time() -> None:
    turns = RequestLock(patience_s=DEADLINE_S)
    running: list[int] = []
    seen: list[int] = []

    def work(number: int) -> None:
        with turns:
            running.append(number)
            seen.append(len(running))
            running.remove(number)

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(work, range(2_000)))

    assert seen == [1] * 2_000


def test_stuck_requests_keep_nobody_waiting_for_long() -> None:
    turns, free, entered = RequestLock(), threading.Event(), threading.Barrier(4)

    def stick() -> None:
        with turns:
            entered.wait(DEADLINE_S)
            free.wait(DEADLINE_S)

    def pass_by() -> str:
        with turns:
            return "done"

    with ThreadPoolExecutor(4) as pool:
        stuck = [pool.submit(stick) for _ in range(3)]
        # All three are in: each took the turn of the one before it.
        entered.wait(DEADLINE_S)

        answer = pool.submit(pass_by).result(DEADLINE_S)

        assert not any(each.done() for each in stuck)
        free.set()
    assert answer == "done"


def test_a_crash_gives_its_turn_back() -> None:
    turns = RequestLock(patience_s=DEADLINE_S)

    with pytest.raises(RuntimeError), turns:
        raise RuntimeError

    assert work_alone(turns) == 1


def work_alone(turns: RequestLock) -> int:
    """
    Return how many went on at once of many that wanted to.
    """
    running: list[int] = []
    most = 0

    def work(number: int) -> None:
        nonlocal most
        with turns:
            running.append(number)
            most = max(most, len(running))
            running.remove(number)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(500)))
    return most
