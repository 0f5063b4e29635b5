"""
Which lane a consumer looks into next.
"""

from collections import deque
from collections.abc import Sequence
from typing import Final

from hvcore.plugin_api import Lane

IN_A_ROW: Final = 8
"""Messages of a lane; others wait for ten at most. Empty looks are paid for as well."""


class Turns:
    """
    Stay at a lane that has messages for a few, and go on to the others in a circle.
    """

    def __init__(self, lanes: Sequence[Lane]) -> None:
        self._lanes = deque(lanes)
        self._in_a_row = 0

    def __len__(self) -> int:
        return len(self._lanes)

    @property
    def lane(self) -> Lane:
        """
        The lane to look into.
        """
        return self._lanes[0]

    def had_message(self) -> None:
        """
        Note that the lane had one.
        """
        self._in_a_row += 1
        if self._in_a_row == IN_A_ROW:
            self.pass_on()

    def pass_on(self) -> None:
        """
        Go on to the next lane.
        """
        self._lanes.rotate(-1)
        self._in_a_row = 0
