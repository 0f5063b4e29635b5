"""
Rounds of work: what fails in one part is told once, and keeps no other part from running.
"""

import logging

import pytest

from hvcore.errors import UnavailableError
from hvcore.processes.rounds import Round

FULL = UnavailableError("The disk is full.")
SLOW = UnavailableError("The disk is slow.")
BROKEN = ValueError("broken")


def run(*errors: Exception | None) -> list[int]:
    """
    Run a part for each error, which it raises, and return the parts that came to their end.
    """
    log = logging.getLogger("hvcore.rounds")
    round_of_work = Round(log, "a part failed")
    ended = []
    for number, error in enumerate(errors):
        with round_of_work.part(hv_step=number):
            if error is not None:
                raise error
            ended.append(number)
    return ended


@pytest.mark.parametrize("error", [FULL, BROKEN])
def test_a_part_that_fails_keeps_no_other_from_running(error: Exception) -> None:
    assert run(None, error, None, error, None) == [0, 2, 4]


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        ((None, None), []),
        ((FULL, FULL, None, FULL), [0]),
        ((BROKEN, ValueError("broken")), [0]),
        ((FULL, SLOW, FULL, BROKEN), [0, 1, 3]),
    ],
)
def test_each_reason_is_told_once_with_the_part_that_met_it_first(
    caplog: pytest.LogCaptureFixture,
    errors: tuple[Exception | None, ...],
    expected: list[int],
) -> None:
    run(*errors)

    assert [line.__dict__["hv_step"] for line in caplog.records] == expected
    assert {line.message for line in caplog.records} <= {"a part failed"}


def test_an_outage_has_its_reason_and_a_mistake_its_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    run(FULL, BROKEN)

    away, mistake = caplog.records
    assert (away.levelname, away.exc_info) == ("WARNING", None)
    assert away.__dict__["hv_why"] == FULL.detail
    assert mistake.levelname == "ERROR"
    assert mistake.exc_info is not None
    assert mistake.exc_info[1] is BROKEN


def test_the_end_of_the_process_ends_the_round() -> None:
    part = Round(logging.getLogger(), "a part failed").part()

    with pytest.raises(KeyboardInterrupt), part:
        raise KeyboardInterrupt
