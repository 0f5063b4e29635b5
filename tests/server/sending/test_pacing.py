"""
How long the server waits for the other side.
"""

import math
import socket

import pytest

from hvcore_server.sending.pacing import Pace, PacedSocket, TooSlowError


def test_waiting_uses_up_what_was_lent() -> None:
    pace = Pace(10, min_bytes_per_s=100)

    pace.waited(4)

    assert pace.left_s == 6


def test_a_fast_enough_client_never_runs_out_of_time() -> None:
    pace = Pace(10, min_bytes_per_s=100)

    for _ in range(1000):
        pace.waited(9)
        pace.moved(900)

    assert pace.left_s == 10


def test_a_client_that_was_fast_may_not_stand_still_for_long() -> None:
    pace = Pace(10, min_bytes_per_s=100)

    pace.moved(10**9)

    assert pace.left_s == 10


@pytest.mark.parametrize("pause_s", [1, 8, 9.9])
def test_a_byte_now_and_then_is_too_slow(pause_s: float) -> None:
    pace = Pace(10, min_bytes_per_s=100)
    elapsed_s = 0.0

    while pace.left_s > 0:
        pace.waited(pause_s)
        pace.moved(1)
        elapsed_s += pause_s

    assert elapsed_s < 21


def test_a_time_in_all_is_not_prolonged_by_what_comes() -> None:
    pace = Pace(10, min_bytes_per_s=math.inf)

    for _ in range(9):
        pace.waited(1)
        pace.moved(10**9)

    assert pace.left_s == 1


def test_a_read_that_may_take_longer_is_waited_for() -> None:
    ours, theirs = socket.socketpair()
    with PacedSocket.take_over(ours) as paced, theirs:
        paced.begin(reading=Pace(0), sending=Pace(0))
        with pytest.raises(TooSlowError):
            paced.recv(1)

        paced.read_within(20)
        theirs.sendall(b"x")

        assert paced.recv(1) == b"x"
