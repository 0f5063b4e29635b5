"""
Requests compute in turns, and never wait for one that is stuck.
"""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from hv_reference.turns import in_turns

DEADLINE_S = 20


def call(app: Callable[..., Iterable[bytes]], path: str) -> bytes:
    return b"".join(app({"PATH_INFO": path}, lambda *_: None))


def test_no_more_compute_at_a_time_than_have_a_turn() -> None:
    together = threading.Barrier(2)
    running: list[int] = []
    seen: list[int] = []
    lock = threading.Lock()

    def app(_environ: dict[str, Any], _start: object) -> Iterable[bytes]:
        with lock:
            running.append(1)
            seen.append(len(running))
        if len(seen) <= 2:
            together.wait(DEADLINE_S)
        with lock:
            running.pop()
        return [b"done"]

    turned = in_turns(app, at_a_time=2, patience_s=DEADLINE_S)
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: call(turned, "/"), range(200)))

    assert answers == [b"done"] * 200
    assert max(seen) == 2


def test_stuck_requests_keep_nobody_waiting_for_long() -> None:
    free = threading.Event()

    def app(environ: dict[str, Any], _start: object) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/stuck":
            free.wait(DEADLINE_S)
        return [b"done"]

    turned = in_turns(app, at_a_time=2)
    with ThreadPoolExecutor(3) as pool:
        stuck = [pool.submit(call, turned, "/stuck") for _ in range(2)]

        answer = pool.submit(call, turned, "/").result(DEADLINE_S)

        assert not any(each.done() for each in stuck)
        free.set()
    assert answer == b"done"


def test_a_crash_gives_its_turn_back() -> None:
    def app(environ: dict[str, Any], _start: object) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/crash":
            raise RuntimeError
        return [b"done"]

    turned = in_turns(app, at_a_time=1, patience_s=DEADLINE_S)
    with ThreadPoolExecutor(1) as pool:
        crash = pool.submit(call, turned, "/crash").exception(DEADLINE_S)
        answer = pool.submit(call, turned, "/").result(DEADLINE_S)

    assert isinstance(crash, RuntimeError)
    assert answer == b"done"
