"""Choose the next lane for a consumer of SQS to look into."""

import time
from collections import deque
from collections.abc import Sequence
from typing import Final

from hvcore.plugin_api import Lane, QueueOutage, UnavailableError

IN_A_ROW: Final = 8
"""The most messages taken from a lane before the other lanes have their turn; empty looks are paid for, too."""


class Turns:
    """
    The order in which a consumer looks into its lanes: some messages of one lane, then the next lane.

    A lane whose queue is missing or denied is left out for a while, and stops no other
    lane.
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
        """The lane whose SQS queue is read next."""
        return self._lanes[0]

    @property
    def is_resting(self) -> bool:
        """Whether the present lane is left out for a while because its queue failed."""
        return self._rests(self.lane)

    @property
    def are_all_resting(self) -> bool:
        """Whether all lanes are left out for a while because their queues failed."""
        return all(map(self._rests, self._lanes))

    def answered(self) -> None:
        """Record that the queue of the present lane answers, which ends its outage."""
        self._outages[self.lane].end()

    def failed(self, error: UnavailableError) -> None:
        """Leave the present lane out for a while, longer each time, and go on to the next lane."""
        rest_s = self._outages[self.lane].begin(error)
        self._rests_until[self.lane] = time.monotonic() + rest_s
        self.pass_on()

    def had_message(self) -> None:
        """Record that the present lane had a message; go on to the next lane after several in a row."""
        self._in_a_row += 1
        if self._in_a_row == IN_A_ROW:
            self.pass_on()

    def pass_on(self) -> None:
        """Make the lane behind the present one the present lane."""
        self._lanes.rotate(-1)
        self._in_a_row = 0

    def _rests(self, lane: Lane) -> bool:
        return time.monotonic() < self._rests_until.get(lane, 0)
