"""
The least pace of senders, alone and while others wait.
"""

import io
from pathlib import Path

import pytest

from hvcore.errors import InvalidFileSizeError
from hvcore_upload.bodies import CutOffError
from hvcore_upload.incoming import IncomingFiles
from hvcore_upload.pace import (
    MIN_BYTES_PER_S,
    MIN_BYTES_PER_S_WHILE_SCARCE,
    STALLED_S,
    SenderPace,
)
from tests.upload.taken_bodies import nothing_is_left, request, room


class Trickle(io.RawIOBase):
    """
    A body that never ends.
    """

    def read(self, size: int = -1) -> bytes:
        return b"x"


SLOW = MIN_BYTES_PER_S_WHILE_SCARCE - 1


@pytest.mark.parametrize(
    ("bytes_per_s", "is_scarce", "is_kept"),
    [
        (SLOW, True, False),
        (SLOW, False, True),
        (SLOW + 1, True, True),
        (MIN_BYTES_PER_S - 1, False, False),
    ],
)
def test_a_slow_sender_ends_where_others_wait(
    bytes_per_s: int,
    is_scarce: bool,  # noqa: FBT001 - a parameter of the test
    is_kept: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    pace = SenderPace(0, is_scarce=lambda: is_scarce)
    for now_s in range(1, 60):
        pace.check(now_s * bytes_per_s, now_s)

    def go_on() -> None:
        for now_s in range(60, 70):
            pace.check(now_s * bytes_per_s, now_s)

    if is_kept:
        go_on()
    else:
        with pytest.raises(CutOffError, match="slow"):
            go_on()


def test_a_senders_pace_before_the_last_minute_does_not_count() -> None:
    pace = SenderPace(0, is_scarce=lambda: True)
    for now_s in range(1, 11):
        pace.check(now_s * 10**9, now_s)

    for now_s in range(11, 70):
        pace.check(10**10 + now_s * 10_000, now_s)

    with pytest.raises(CutOffError, match="while others waited"):
        pace.check(10**10 + 70 * 10_000, 70)


@pytest.mark.parametrize(
    ("bytes_per_s", "is_scarce", "is_kept"),
    [
        (0, True, False),
        (MIN_BYTES_PER_S - 1, True, False),
        (MIN_BYTES_PER_S, True, True),
        (0, False, True),
    ],
)
def test_a_sender_that_stands_still_while_others_wait_is_cut_off_in_seconds(
    bytes_per_s: int,
    is_scarce: bool,  # noqa: FBT001 - a parameter of the test
    is_kept: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    pace = SenderPace(0, is_scarce=lambda: is_scarce)
    # Fast at first.
    pace.check(10**9, 1)

    def go_on() -> None:
        for now_s in range(2, int(STALLED_S) + 3):
            pace.check(10**9 + (now_s - 1) * bytes_per_s, now_s)

    if is_kept:
        go_on()
    else:
        with pytest.raises(CutOffError, match="while others waited"):
            go_on()


def test_a_sender_that_trickles_is_given_up(tmp_path: Path) -> None:
    ticks = iter(range(0, 1000, 30))
    files = IncomingFiles(folder=tmp_path, elapsed_s=lambda: float(next(ticks)))
    trickle = Trickle()

    with (
        pytest.raises(InvalidFileSizeError, match="too slow"),
        room(tmp_path) as reserved,
        files.collect(request(trickle), reserved),
    ):
        pytest.fail("nothing came in")

    assert nothing_is_left(tmp_path)
