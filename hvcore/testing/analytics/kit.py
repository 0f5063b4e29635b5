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
"""Opens another analytics sink on the same data, as another process would."""


class AnalyticsKit(Kit, ABC):
    """
    The fixtures and settings of every kit of analytics sinks, which a plugin's test class overrides.

    Attributes:
        gives_up_within_s: The most seconds that a call may take while the sink's server
            does not answer. The port allows two minutes, but people who wait for a page
            leave sooner.
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
        """Return a sink whose server or disk became unreachable after the sink was built."""
        raise NotImplementedError("give the fixture: a sink that cannot answer")

    @pytest.fixture
    def elsewhere(self) -> AnalyticsSink:
        """Return another prepared and empty sink, which keeps other data."""
        raise NotImplementedError("give the fixture: an empty sink of other data")

    @pytest.fixture
    def unprepared(self) -> AnalyticsSink:
        """Return a sink whose tables, files or folders were not prepared yet."""
        raise NotImplementedError("give the fixture: a sink before its prepare")

    @abstractmethod
    def counted(self, sink: AnalyticsSink, video_id: VideoId) -> int:
        """Return the counted segments of a video, read without the sink's own code where possible."""

    def counted_at(self, sink: AnalyticsSink, place: SegmentPlace, day: date) -> int:
        """
        Return the counted segments of a place on a day, read without the sink's own code where possible.

        Args:
            place: The organization, environment, video and height of the segments.
        """
        raise NotImplementedError("give the method: the segments of a place on a day")
