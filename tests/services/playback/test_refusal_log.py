"""
Refusals in the log: one line each, and never a flood of them.
"""

import logging

import attrs
import pytest

from hvcore.domain.playback.rules import PlaybackRule
from hvcore.services.playback.refusal_log import (
    LINES_IN_ALL,
    LINES_OF_UNKNOWN,
    PlaybackRefusal,
    RefusalLog,
    shown_path,
)
from hvcore.throttling.log_lines import LINES_OF_ONE, WINDOW_S, LogLines


@attrs.define
class Seconds:
    """
    A clock that tests move.
    """

    now_s: float = 1000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture(autouse=True)
def _is_heard(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)


def write(
    log: RefusalLog,
    times: int = 1,
    *,
    rule: PlaybackRule = PlaybackRule.TOKEN_EXPIRED,
    client: str = "192.0.2.1",
) -> None:
    for number in range(times):
        refusal = PlaybackRefusal(
            request_id=f"r{number}", rule=rule, status=401, path="/v1/x"
        )
        log.write(refusal, client)


def lines(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    return [r for r in caplog.records if r.getMessage() == "playback refused"]


def test_a_line_says_which_request_was_refused_by_which_rule(
    caplog: pytest.LogCaptureFixture,
) -> None:
    write(RefusalLog(LogLines()))

    (record,) = lines(caplog)
    found = {k: v for k, v in vars(record).items() if k.startswith("hv_")}
    assert found == {
        "hv_request_id": "r0",
        "hv_rule": "token_expired",
        "hv_status": 401,
        "hv_path": "/v1/x",
    }
    assert record.levelno == logging.INFO


def test_one_client_writes_a_few_lines_of_a_rule(
    caplog: pytest.LogCaptureFixture,
) -> None:
    log = RefusalLog(LogLines(now_s=Seconds()))

    write(log, 1000)
    assert len(lines(caplog)) == LINES_OF_ONE

    # Others are heard all the same.
    write(log, client="192.0.2.2")
    write(log, rule=PlaybackRule.NO_SUCH_FILE)
    assert len(lines(caplog)) == LINES_OF_ONE + 2


def test_any_number_of_clients_write_so_many_lines_together(
    caplog: pytest.LogCaptureFixture,
) -> None:
    log = RefusalLog(LogLines(now_s=Seconds()))

    for number in range(5000):
        write(log, client=f"2001:db8:{number:x}::1")

    assert len(lines(caplog)) == LINES_IN_ALL
    assert len(log._lines._written) <= LINES_IN_ALL


@pytest.mark.parametrize(
    "rule", [PlaybackRule.NO_SUCH_ADDRESS, PlaybackRule.VIDEO_UNKNOWN]
)
def test_addresses_that_strangers_try_crowd_out_no_other_refusal(
    caplog: pytest.LogCaptureFixture, rule: PlaybackRule
) -> None:
    clock = Seconds()
    log = RefusalLog(LogLines(now_s=clock))

    for number in range(2000):
        write(log, rule=rule, client=f"198.51.{number // 250}.{number % 250}")
    write(log)

    assert len(lines(caplog)) == LINES_OF_UNKNOWN + 1
    clock.now_s += WINDOW_S
    write(log)
    (missed,) = [r for r in caplog.records if "not written" in r.getMessage()]
    assert vars(missed)["hv_count"] == 2000 - LINES_OF_UNKNOWN
    assert vars(missed)["hv_message"] == "playback refused: unknown addresses"


def test_one_line_of_a_household_is_one_client(
    caplog: pytest.LogCaptureFixture,
) -> None:
    log = RefusalLog(LogLines(now_s=Seconds()))

    for number in range(1000):
        write(log, client=f"2001:db8::{number:x}")

    assert len(lines(caplog)) == LINES_OF_ONE


def test_after_a_while_all_are_heard_again_and_told_what_was_missed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock = Seconds()
    log = RefusalLog(LogLines(now_s=clock))
    write(log, LINES_OF_ONE + 7)

    clock.now_s += WINDOW_S - 1
    write(log)
    clock.now_s += 1
    write(log)

    assert len(lines(caplog)) == LINES_OF_ONE + 1
    (missed,) = [r for r in caplog.records if "not written" in r.getMessage()]
    assert vars(missed)["hv_count"] == 8


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/v1/private/vid_x/master.m3u8", "/v1/private/vid_x/master.m3u8"),
        ("/t/vid_x/640x360.jpg", "/t/vid_x/640x360.jpg"),
        ("/a?token=eyJ", "/a…"),
        ("/a&Token=eyJ", "/a…"),
        ("/a/token=eyJ", "/a/…"),
        ("/a;b#c", "/a…"),
        (f"/v1/ek_{'k' * 22}/a", "/v1/ek_kkkkkk…/a"),
        (f"/v1/watch/shr_{'s' * 22}", "/v1/watch/shr_ssssss…"),
        (f"/hv_live_{'k' * 32}", "/hv_live_kkkkkk…"),
        (f"/v1/of_ek_{'k' * 22}/a", "/v1/of_ek_kkkkkk…/a"),
        (f"/a/{'eyJhbGciOi' * 9}.b.c/d", "/a/eyJhbGciOiey…/d"),
        ("/" + "a/" * 500, "/" + "a/" * 99 + "a…"),
    ],
)
def test_a_path_is_shown_without_what_gives_access(path: str, shown: str) -> None:
    assert shown_path(path) == shown
