"""
Malformed requests drive nothing else out of the log, and no log opens a video.
"""

import logging
import re

import pytest

from hvcore.throttling.log_lines import (
    LINES_OF_KIND,
    LINES_OF_ONE,
    WINDOW_S,
    LogLines,
    without_credentials,
)
from hvcore_server.receiving.refusal_lines import log_refusal

FLOOD = 66_000


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    moment = [1000.0]
    lines = LogLines(now_s=lambda: moment[0])
    monkeypatch.setattr("hvcore_server.receiving.refusal_lines.LOG_LINES", lines)
    return moment


def refuse(client: str, times: int = 1) -> None:
    for number in range(times):
        context = {"hv_request_id": f"{number:032x}", "hv_client": client}
        log_refusal(ValueError("bad"), context, is_crash=False)


def written(caplog: pytest.LogCaptureFixture, message: str) -> int:
    return sum(record.getMessage() == message for record in caplog.records)


def test_a_flood_of_one_address_is_a_few_lines(
    clock: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)

    refuse("192.0.2.1", FLOOD)
    refuse("192.0.2.2")

    assert written(caplog, "request refused") == LINES_OF_ONE + 1
    clock[0] += WINDOW_S
    refuse("192.0.2.1")
    (told,) = [r for r in caplog.records if r.getMessage() == "lines not written"]
    assert vars(told)["hv_count"] == FLOOD - LINES_OF_ONE
    assert vars(told)["hv_message"] == "request refused"


def test_a_flood_of_many_addresses_is_not_many_lines(
    clock: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    del clock
    caplog.set_level(logging.INFO)

    for number in range(5_000):
        refuse(f"198.51.{number // 250}.{number % 250}")

    assert written(caplog, "request refused") == LINES_OF_KIND


def test_lines_of_one_household_of_ipv6_are_of_one_client(
    clock: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    del clock
    caplog.set_level(logging.INFO)

    for number in range(1_000):
        refuse(f"2001:db8::{number:x}")

    assert written(caplog, "request refused") == LINES_OF_ONE


def test_a_kind_that_floods_leaves_the_others_their_lines(
    clock: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    del clock
    caplog.set_level(logging.INFO)

    refuse("192.0.2.1", 1_000)
    context = {"hv_request_id": "a", "hv_client": "192.0.2.1"}
    log_refusal(ValueError("bad"), context, is_crash=True)

    assert written(caplog, "request crashed") == 1


def test_what_is_counted_needs_no_memory(clock: list[float]) -> None:
    lines = LogLines(now_s=lambda: clock[0])

    for number in range(10_000):
        lines.write(
            logging.getLogger("nobody"),
            logging.DEBUG,
            "flood",
            client=str(number),
            extra={},
        )

    assert len(lines._written) <= LINES_OF_KIND


@pytest.mark.parametrize("secret", ["shr_", "ek_", "hv_live_", "hv_test_"])
def test_what_gives_access_stands_in_no_log_whole(secret: str) -> None:
    whole = secret + "a1B2c3D4e5F6g7H8i9J0k1"

    shown = without_credentials(f"/v1/watch/{whole}/x")

    assert whole not in shown
    assert re.search(rf"{secret}a1B2c3…", shown)
