"""The fixtures that the promises of analytics sinks share."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from datetime import date
from typing import Final, TypeAlias

import pytest

from hvcore.domain.analytics.segments import SegmentPlace
from hvcore.domain.ids import VideoId
from hvcore.ports.analytics import AnalyticsSink
from hvcore.testing.kit import Kit

FILE: Final = "kit-a.log"

Reopened: TypeAlias = Callable[[], AnalyticsSink]
"""
Opens another sink on the same data, as another process would.
"""


class AnalyticsKit(Kit, ABC):
    """
    The fixtures of every part of the kit.

    Attributes:
        gives_up_within_s: How long a call may take while the sink does not answer.
            The port allows two minutes; whoever waits for a page goes sooner.
    """

    gives_up_within_s = 10.0

    @pytest.fixture
    def sink(self) -> AnalyticsSink:
        """Return a prepared sink with nothing in it; the subclass closes it."""
        raise NotImplementedError("give the fixture: a prepared, empty sink")

    @pytest.fixture
    def reopened(self) -> Reopened:
        """
        Return a function that opens another sink on the same data, again and again.

        It is also called in forked processes.
        """
        raise NotImplementedError("give the fixture: it opens the same data again")

    @pytest.fixture
    def unreachable(self) -> AnalyticsSink:
        """Return a sink that was built, and whose server or disk is gone since."""
        raise NotImplementedError("give the fixture: a sink that cannot answer")

    @pytest.fixture
    def elsewhere(self) -> AnalyticsSink:
        """Return another sink, prepared and with nothing in it, that keeps other data."""
        raise NotImplementedError("give the fixture: an empty sink of other data")

    @pytest.fixture
    def unprepared(self) -> AnalyticsSink:
        """Return a sink for which nothing was prepared yet."""
        raise NotImplementedError("give the fixture: a sink before its prepare")

    @abstractmethod
    def counted(self, sink: AnalyticsSink, video_id: VideoId) -> int:
        """Return the number of counted segments of a video, best past the sink."""

    def counted_at(self, sink: AnalyticsSink, place: SegmentPlace, day: date) -> int:
        """
        Return the number of counted segments of a place on a day, best past the sink.

        Args:
            place: The organization, environment, video and height, all of them.
        """
        raise NotImplementedError("give the method: the segments of a place on a day")
