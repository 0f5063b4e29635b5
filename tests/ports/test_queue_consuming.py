"""
A queue that does not answer is asked less and less often, and the log says so once.
"""

import itertools
import logging

import pytest

from hvcore.domain.ids import TaskId
from hvcore.domain.tasks.task import Lane
from hvcore.errors import UnavailableError
from hvcore.ports.queue_consuming import (
    FIRST_WAIT_S,
    MAX_WAIT_S,
    QueueOutage,
    hand_over,
)

AWAY = UnavailableError("away")


def test_waits_double_up_to_the_longest_and_begin_anew_after_an_answer() -> None:
    outage = QueueOutage()

    waits_s = [outage.begin(AWAY) for _ in range(12)]
    outage.end()

    assert waits_s[0] == outage.begin(AWAY) == FIRST_WAIT_S
    assert waits_s[-1] == MAX_WAIT_S
    for before, after in itertools.pairwise(waits_s):
        assert after == min(2 * before, MAX_WAIT_S)


@pytest.mark.parametrize("lane", [None, Lane.LIGHT])
def test_an_outage_of_a_queue_is_told_once_and_its_end_once(
    caplog: pytest.LogCaptureFixture, lane: Lane | None
) -> None:
    outage = QueueOutage(lane)

    with caplog.at_level(logging.INFO):
        outage.end()
        for _ in range(3):
            outage.begin(AWAY)
        outage.end()
        outage.end()

    assert [line.message for line in caplog.records] == [
        "the queue does not answer",
        "the queue answers again",
    ]
    lanes = [line.__dict__.get("hv_lane") for line in caplog.records]
    assert lanes == [None if lane is None else lane.value] * 2


def test_a_wait_ends_once_nobody_needs_it() -> None:
    outage = QueueOutage()
    for _ in range(12):
        outage.begin(AWAY)
    asked = iter([True])

    outage.wait(AWAY, lambda: next(asked))

    assert next(asked, None) is None


@pytest.mark.parametrize(
    ("error", "level"), [(AWAY, "WARNING"), (ValueError("broken"), "ERROR")]
)
def test_a_task_that_fails_ends_no_consumer(
    caplog: pytest.LogCaptureFixture, error: Exception, level: str
) -> None:
    def fail(_: TaskId) -> None:
        raise error

    hand_over(fail, TaskId("tsk_1"))

    (line,) = caplog.records
    assert line.levelname == level
    assert line.__dict__["hv_task"] == "tsk_1"
