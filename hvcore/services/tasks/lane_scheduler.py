"""Choose the lane in which a worker takes its next task."""

from collections.abc import Collection, Sequence
from typing import Final

import attrs

from hvcore.domain.tasks.task import Lane

MOST_PASSES: Final = 3
"""Tasks of other lanes that may go before a lane that waits."""
PATIENT_LANES: Final = frozenset({Lane.CAPTIONS})
"""Lanes that wait until no other lane has work: no video waits for captions."""


@attrs.define
class LaneScheduler:
    """
    Choose the lane of each next task of one worker, by urgency.

    A more urgent lane goes first, but no lane waits for ever: after MOST_PASSES
    tasks of other lanes, the waiting lane is chosen. Only PATIENT_LANES wait until the
    other lanes are empty.

    Attributes:
        lanes: The lanes of the worker, the most urgent first.
    """

    lanes: Sequence[Lane]
    _passes: dict[Lane, int] = attrs.field(factory=dict, init=False)

    def choose(self, with_work: Collection[Lane]) -> Lane:
        """
        Return the lane from which the worker takes its next task.

        Args:
            with_work: The lanes in which tasks wait, at least one.
        """
        waiting = [lane for lane in self.lanes if lane in with_work]
        urgent = [lane for lane in waiting if lane not in PATIENT_LANES]
        overdue = [lane for lane in urgent if self._passes.get(lane, 0) >= MOST_PASSES]
        chosen = (overdue or urgent or waiting)[0]
        self._passes = {
            lane: self._passes.get(lane, 0) + 1 for lane in waiting if lane != chosen
        }
        return chosen
