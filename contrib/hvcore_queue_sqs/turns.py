"""Choose the next lane for a consumer to look into."""

import time
from collections import deque
from collections.abc import Sequence
from typing import Final

from hvcore.plugin_api import Lane, QueueOutage, UnavailableError

IN_A_ROW: Final = 8
"""Messages of a lane; others wait for ten at most. Empty looks are paid for as well."""


class Turns:
    """
    Stay at a lane that has messages for a few, and go on to the others in a circle.

    A lane whose queue is missing or denied rests for a while, and stops no other one.
    """

    def __init__(self, lanes: Sequence[Lane]) -> None:
        self._lanes = deque(lanes)
        self._in_a_row = 0
        self._outages = {lane: QueueOutage(lane) for lane in lanes}
        self._rests_until: dict[Lane, float] = {}

    def __len__(self) -> int:
        return len(self._lanes)

    @property
    def lane(self) -> Lane:
        """The lane to look into."""
        return self._lanes[0]

    @property
    def is_resting(self) -> bool:
        """Return whether the lane's queue failed just now."""
        return self._rests(self.lane)

    @property
    def are_all_resting(self) -> bool:
        """Return whether there is no lane to look into now."""
        return all(map(self._rests, self._lanes))

    def answered(self) -> None:
        """Note that the lane's queue answers."""
        self._outages[self.lane].end()

    def failed(self, error: UnavailableError) -> None:
        """Have the lane rest, longer each time, and go on to the next one."""
        rest_s = self._outages[self.lane].begin(error)
        self._rests_until[self.lane] = time.monotonic() + rest_s
        self.pass_on()

    def had_message(self) -> None:
        """Note that the lane had one."""
        self._in_a_row += 1
        if self._in_a_row == IN_A_ROW:
            self.pass_on()

    def pass_on(self) -> None:
        """Go on to the next lane."""
        self._lanes.rotate(-1)
        self._in_a_row = 0

    def _rests(self, lane: Lane) -> bool:
        return time.monotonic() < self._rests_until.get(lane, 0)
