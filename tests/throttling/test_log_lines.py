"""
Lines that clients cause: each client, each part and each kind has its limit, anew in each minute.
"""

import logging
from collections.abc import Callable

import pytest

from hvcore.throttling.log_lines import WINDOW_S, LogLines
from tests.throttling.conftest import Elapsed

OF_ONE, OF_KIND = 2, 3
LOG = logging.getLogger("hvcore.lines")


@pytest.fixture
def written(elapsed: Elapsed, caplog: pytest.LogCaptureFixture) -> Callable[..., bool]:
    """
    Return a function that tells whether a line is written.
    """
    lines = LogLines(of_one=OF_ONE, now_s=elapsed)
    caplog.set_level(logging.INFO)

    def write(message: str = "refused", client: str = "a", **more: str) -> bool:
        before = len(caplog.records)
        lines.write(
            LOG,
            logging.WARNING,
            message,
            client=client,
            of_kind=OF_KIND,
            extra={"hv_n": before},
            **more,
        )
        return [one.__dict__.get("hv_n") for one in caplog.records].count(before) == 1

    return write


def test_each_client_and_each_part_has_its_limit(written: Callable[..., bool]) -> None:
    assert [written() for _ in range(3)] == [True, True, False]
    assert written(client="b")
    assert written("other")
    assert [written("parts", part=part) for part in "xxxy"] == [True, True, False, True]


def test_a_kind_has_its_limit_whoever_causes_it(written: Callable[..., bool]) -> None:
    for group in ("", "a group", "another"):
        found = [written(client=client, group=group) for client in "abcde"]
        assert found == [True] * OF_KIND + [False] * 2
    assert written("a group")


def test_all_limits_begin_anew_after_a_minute(
    written: Callable[..., bool], elapsed: Elapsed
) -> None:
    for client in "abcd":
        written(client=client)
        written(client=client)

    elapsed.now_s += WINDOW_S - 1
    assert not written(client="e")
    elapsed.now_s += 1
    assert [written() for _ in range(3)] == [True, True, False]
    assert [written(client=client) for client in "bc"] == [True, False]


def test_lines_that_were_left_out_are_told_once(
    written: Callable[..., bool], elapsed: Elapsed, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(OF_ONE + 4):
        written()
        written("other", group="a group")
    for _ in range(2):
        elapsed.now_s += WINDOW_S
        written("another")

    told = [
        (one.__dict__["hv_message"], one.__dict__["hv_count"])
        for one in caplog.records
        if one.message == "lines not written"
    ]
    assert sorted(told) == [("other: a group", 4), ("refused", 4)]
