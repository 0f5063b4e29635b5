"""
Ready is who can serve, and the answer comes in time whatever hangs.
"""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from hvcore.errors import UnavailableError
from hvcore.services.readiness import Readiness
from tests.support.full_machine import full_machine


def works() -> None:
    pass


def test_a_process_that_reaches_every_service_is_ready() -> None:
    Readiness({"database": works, "storage": works}).check()


def test_an_unreachable_service_is_named() -> None:
    def is_away() -> None:
        raise UnavailableError("The disk is gone.")

    with pytest.raises(UnavailableError, match=r"storage: The disk is gone\.") as seen:
        Readiness({"database": works, "storage": is_away}).check()

    assert "Retry-After" in seen.value.headers


def test_a_backend_with_a_bug_is_not_ready_and_tells_no_secrets() -> None:
    def has_a_bug() -> None:
        raise RuntimeError("postgresql://user:password@host")

    with pytest.raises(UnavailableError, match=r"It fails \(RuntimeError\)"):
        Readiness({"database": has_a_bug}).check()


def test_a_bug_of_a_backend_is_logged_once_with_its_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def has_a_bug() -> None:
        raise ZeroDivisionError

    readiness = Readiness({"database": has_a_bug})
    for _ in range(2):
        with pytest.raises(UnavailableError, match="ZeroDivisionError"):
            readiness.check()

    (record,) = caplog.records
    assert "in has_a_bug" in caplog.text
    assert vars(record)["hv_question"] == "ready-database"


def test_a_hanging_service_is_asked_once_and_waited_for_briefly() -> None:
    goes_on, asked = threading.Event(), []

    def hangs() -> None:
        asked.append(1)
        goes_on.wait(60)

    readiness = Readiness({"database": hangs, "storage": hangs}, within_s=0.1)
    began = time.monotonic()
    for _ in range(3):
        with pytest.raises(UnavailableError, match="It does not answer"):
            readiness.check()

    assert time.monotonic() - began < 1.0
    assert len(asked) == 2
    goes_on.set()


def test_one_hiccup_of_what_all_hosts_share_empties_no_balancer() -> None:
    fails = [False]

    def hiccups() -> None:
        if fails[0]:
            raise UnavailableError("It is busy.")

    readiness = Readiness({"database": hiccups})
    readiness.check()
    for _ in range(3):
        fails[0] = True
        readiness.check()
        fails[0] = False
        readiness.check()

    fails[0] = True
    readiness.check()
    for _ in range(3):
        with pytest.raises(UnavailableError, match="busy"):
            readiness.check()

    fails[0] = False
    readiness.check()


def test_monitors_that_ask_at_the_same_time_see_one_failure() -> None:
    goes_on = threading.Event()
    goes_on.set()

    def hangs() -> None:
        goes_on.wait(60)

    readiness = Readiness({"database": hangs}, within_s=0.2)
    readiness.check()
    goes_on.clear()
    with ThreadPoolExecutor(4) as monitors:
        for asked in [monitors.submit(readiness.check) for _ in range(4)]:
            asked.result()

    with pytest.raises(UnavailableError, match="It does not answer"):
        readiness.check()
    goes_on.set()


def test_a_question_that_no_thread_asks_is_asked_again() -> None:
    readiness = Readiness({"database": works})

    with (
        full_machine(),
        pytest.raises(UnavailableError, match=r"database: .* no thread"),
    ):
        readiness.check()

    readiness.check()
