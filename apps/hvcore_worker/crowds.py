"""
Choose the time for which a task is put back while too many of its kind and organization run.

Each refusal is two database transactions, and a writer on SQLite delays everyone else. So
the more tasks of an organization wait, the longer each of them does: they come back at one
pace, however many they are.
"""

import heapq
import random
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Final

import attrs

from hvcore.domain.tasks.kinds import PART_KINDS, TRANSCODE_CANCEL

NO_ROOM_WAIT_S: Final = (5.0, 20.0)
"""The least and the most seconds for which a task is put back if its kind has all places that it
may have."""
NO_ROOM_FOR_QUESTIONS_WAIT_S: Final = (0.2, 1.0)
"""The least and the most seconds for which a task with a short request to a transcoding service
is put back."""
CROWDED_AFTER_S: Final = 2.0
"""The seconds of refusals after which tasks with short requests wait like other tasks."""
CROWD_IS_OVER_AFTER_S: Final = NO_ROOM_WAIT_S[1]
"""The seconds without a refusal after which a crowd counts as over: by then all refused tasks
have come back."""
COME_BACK_PER_S: Final = 2.0
"""The refused tasks of a kind and organization that come back each second: a free place
is then taken within a second."""
LONGEST_WAIT_S: Final = 900.0
MOST_COUNTED: Final = 10_000
"""The number up to which waiting tasks are counted."""

_random: Final = random.SystemRandom()


@attrs.define
class _Crowd:
    first_s: float
    last_s: float
    come_back_s: list[float] = attrs.field(factory=list)


class Crowds:
    """
    The tasks that were put back because too many of their kind and organization run.

    Args:
        now_s: A clock that only goes forward, in seconds.
    """

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self._crowds: dict[tuple[str, str], _Crowd] = {}

    def refused(self, kind: str, org_id: str) -> timedelta:
        """Note that a task may not run now; return the time for which it is to be put back."""
        now_s = self._now_s()
        oldest_s = now_s - CROWD_IS_OVER_AFTER_S
        self._crowds = {
            whose: crowd
            for whose, crowd in self._crowds.items()
            if crowd.last_s >= oldest_s
        }
        crowd = self._crowds.setdefault((kind, org_id), _Crowd(now_s, now_s))
        crowd.last_s = now_s
        while crowd.come_back_s and crowd.come_back_s[0] <= now_s:
            heapq.heappop(crowd.come_back_s)
        low_s, high_s = wait_bounds_s(
            kind,
            is_crowded=now_s - crowd.first_s > CROWDED_AFTER_S,
            waiting=len(crowd.come_back_s) + 1,
        )
        wait_s = _random.uniform(low_s, high_s)
        if len(crowd.come_back_s) < MOST_COUNTED:
            heapq.heappush(crowd.come_back_s, now_s + wait_s)
        return timedelta(seconds=wait_s)


def wait_bounds_s(kind: str, *, is_crowded: bool, waiting: int) -> tuple[float, float]:
    """
    Return the shortest and the longest time in seconds for which a task is put back.

    Args:
        is_crowded: Whether tasks of the kind and organization have been refused for a while.
        waiting: The number of waiting tasks of the kind and organization, this one included.
    """
    if kind in {*PART_KINDS, TRANSCODE_CANCEL} and not is_crowded:
        return NO_ROOM_FOR_QUESTIONS_WAIT_S
    low_s, high_s = NO_ROOM_WAIT_S
    usual_s = (low_s + high_s) / 2
    times = max(1.0, waiting / COME_BACK_PER_S / usual_s)
    return min(low_s * times, LONGEST_WAIT_S / 2), min(high_s * times, LONGEST_WAIT_S)
