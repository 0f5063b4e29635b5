"""
How long tasks wait for which there was no room.
"""

import heapq
from itertools import pairwise

import pytest

from hvcore.domain.tasks.kinds import (
    FETCH_GET,
    TRANSCODE_CANCEL,
    TRANSCODE_REMOTE,
    WEBHOOK_DELIVER,
)
from hvcore_worker.crowds import (
    COME_BACK_PER_S,
    LONGEST_WAIT_S,
    NO_ROOM_FOR_QUESTIONS_WAIT_S,
    NO_ROOM_WAIT_S,
    Crowds,
    wait_bounds_s,
)


def test_a_crush_that_lasts_makes_questions_wait_for_longer() -> None:
    now_s = [100.0]
    crowds = Crowds(lambda: now_s[0])

    def waits_long(moment_s: float, org_id: str = "org_a") -> bool:
        now_s[0] = moment_s
        wait_s = crowds.refused(TRANSCODE_REMOTE, org_id).total_seconds()
        return wait_s > NO_ROOM_FOR_QUESTIONS_WAIT_S[1]

    assert [waits_long(at) for at in (100.0, 101.0, 102.0, 102.5, 120.0)] == [
        *(False, False, False),
        *(True, True),
    ]
    # Another organization has met no crush as yet.
    assert not waits_long(120.0, "org_b")
    # Whatever was refused has come back by then, and found room.
    assert not waits_long(141.0)


@pytest.mark.parametrize(
    ("kind", "is_crowded", "bounds_s"),
    [
        (TRANSCODE_REMOTE, False, NO_ROOM_FOR_QUESTIONS_WAIT_S),
        (TRANSCODE_REMOTE, True, NO_ROOM_WAIT_S),
        (TRANSCODE_CANCEL, True, NO_ROOM_WAIT_S),
        (WEBHOOK_DELIVER, False, NO_ROOM_WAIT_S),
    ],
)
def test_pauses_are_short_only_for_questions_in_a_short_crush(
    kind: str,
    is_crowded: bool,  # noqa: FBT001 - a table's column
    bounds_s: tuple[float, float],
) -> None:
    assert wait_bounds_s(kind, is_crowded=is_crowded, waiting=25) == bounds_s


def test_however_many_wait_they_come_back_at_one_pace() -> None:
    now_s = 0.0
    crowds = Crowds(lambda: now_s)
    # 600 films of one organization, and no place gets free.
    starts = [number * 0.01 for number in range(600)]
    late = []
    while starts[0] < 1_200:
        now_s = heapq.heappop(starts)
        wait_s = crowds.refused(FETCH_GET, "org_a").total_seconds()
        heapq.heappush(starts, now_s + wait_s)
        if now_s > 600:
            late.append(now_s)

    assert 0.7 * COME_BACK_PER_S < len(late) / 600 < 1.5 * COME_BACK_PER_S
    # A place that gets free is soon taken.
    assert max(b - a for a, b in pairwise(late)) < 10


def test_nobody_waits_for_more_than_a_quarter_of_an_hour() -> None:
    low_s, high_s = wait_bounds_s(FETCH_GET, is_crowded=True, waiting=1_000_000)

    assert (low_s, high_s) == (LONGEST_WAIT_S / 2, LONGEST_WAIT_S)
