"""
Count the segments that are handed to players.

Source: interface, "What the service does", 5.
"""

from typing import Protocol

import attrs

from hvcore.clock import Clock
from hvcore.domain.analytics import SegmentPlace, SegmentServed
from hvcore.failpoints import reach
from hvcore.spool import Spool


class SegmentCounter(Protocol):
    """
    Takes note of segments; thread-safe, and never fails.
    """

    def count(self, place: SegmentPlace) -> None:
        """
        Take note that a segment is being handed to a player now.
        """
        ...


@attrs.frozen(kw_only=True)
class SpooledCounter:
    """
    Writes every segment to this process's spool file.
    """

    spool: Spool
    clock: Clock

    def count(self, place: SegmentPlace) -> None:
        """
        Take note that a segment is being handed to a player now.
        """
        self.spool.append(SegmentServed(place=place, at=self.clock.now()))
        reach("spool.written")
