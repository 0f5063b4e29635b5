"""The tests of analytics sinks that also store ignored requests: those for segments that are not counted as served."""

from collections import Counter
from datetime import timedelta

import pytest

from hvcore.domain.analytics.ignored import IgnoredReason
from hvcore.domain.analytics.segments import (
    ALL_TIME,
    DateRange,
    Scope,
    VideoScope,
)
from hvcore.domain.ids import VideoId
from hvcore.ports.analytics import (
    AnalyticsReport,
    AnalyticsSink,
    SupportsReports,
)
from hvcore.testing.analytics.kit import Reopened
from hvcore.testing.analytics.served import (
    ENV,
    NOON,
    VIDEO,
    BreaksOffError,
    batch,
    cut_off,
    ignored,
    in_env,
    segment,
)
from hvcore.testing.kit import Kit

OF_VIDEO = VideoScope(video_id=VIDEO)


class CapableKit(Kit):
    """The fixtures of the kits for additional reports of analytics sinks (AnalyticsReport)."""

    @pytest.fixture
    def sink(self) -> AnalyticsSink:
        """Return a prepared sink with nothing in it; the subclass closes it."""
        raise NotImplementedError("give the fixture: a prepared, empty sink")

    @pytest.fixture
    def reopened(self) -> Reopened:
        """Return a function that opens another sink on the same data, as often as it is called."""
        raise NotImplementedError("give the fixture: opens the same data again")


class IgnoredConformance(CapableKit):
    """The promises of an analytics sink that stores requests that were not counted (AnalyticsReport.IGNORED)."""

    def test_ignored_requests_are_counted_by_reason_and_height(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """Ignored requests are counted by reason and height; the counts of several batches and processes add up."""
        sink.write(
            batch(
                ignored(),
                ignored(),
                ignored(height_px=360),
                ignored(IgnoredReason.INIT, height_px=0),
                segment(),
            )
        )
        sink.write(batch(ignored(at=NOON + timedelta(hours=1)), start=50))
        expected = {
            (IgnoredReason.HEAD, 720): 3,
            (IgnoredReason.HEAD, 360): 1,
            (IgnoredReason.INIT, 0): 1,
        }

        for each in (sink, reopened()):
            assert _ignored(each, OF_VIDEO) == expected
            assert _ignored(each, in_env(ENV)) == expected

    def test_ignored_requests_are_taken_once(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """A batch that is written twice adds its ignored requests once."""
        one = batch(ignored(), segment())
        sink.write(one)
        sink.write(one)
        reopened().write(one)

        assert _ignored(sink, OF_VIDEO) == {(IgnoredReason.HEAD, 720): 1}

    def test_a_write_that_fails_ignores_nothing(self, sink: AnalyticsSink) -> None:
        """A write that fails stores no ignored requests, and the batch can be written again."""
        whole = batch(ignored(), ignored(height_px=360))
        with pytest.raises(BreaksOffError):
            sink.write(cut_off(whole))

        assert _ignored(sink, OF_VIDEO) == {}
        sink.write(whole)
        assert sum(_ignored(sink, OF_VIDEO).values()) == 2

    def test_ignored_requests_are_those_of_a_scope_and_of_days(
        self, sink: AnalyticsSink
    ) -> None:
        """Ignored requests are returned only of the given scope and days; a range of days includes both ends."""
        notes = [
            *(ignored(at=NOON + timedelta(days=days)) for days in range(3)),
            ignored(video="vid_kit_2"),
            ignored(video="vid_kit_3", env="live"),
            ignored(video="vid_kit_4", org="org_other"),
        ]
        sink.write(batch(*notes))
        first = NOON.date()
        two_days = DateRange(first=first, last=first + timedelta(days=1))

        def total(scope: Scope, days: DateRange = ALL_TIME) -> int:
            return sum(_ignored(sink, scope, days).values())

        assert total(OF_VIDEO) == 3
        assert total(OF_VIDEO, two_days) == 2
        assert total(in_env(ENV), two_days) == 3
        assert total(in_env(ENV, "live")) == 5
        assert total(in_env()) == 0
        assert total(VideoScope(video_id=VideoId("vid_never"))) == 0

    def test_ignored_requests_count_nowhere_else(self, sink: AnalyticsSink) -> None:
        """Ignored requests are not counted as served segments, and served segments not as ignored requests."""
        sink.write(batch(segment()))

        assert _ignored(sink, OF_VIDEO) == {}


def reporting(sink: AnalyticsSink, report: AnalyticsReport) -> SupportsReports:
    """Return the sink as one that stores a report; fail the test if it does not store the report."""
    assert isinstance(sink, SupportsReports), "the sink lacks SupportsReports"
    assert report in sink.reports, f"the sink's reports lack {report}"
    return sink


def _ignored(
    sink: AnalyticsSink, scope: Scope, days: DateRange = ALL_TIME
) -> dict[tuple[IgnoredReason, int], int]:
    requests: Counter[tuple[IgnoredReason, int]] = Counter()
    for one in reporting(sink, AnalyticsReport.IGNORED).ignored(scope, days):
        requests[one.reason, one.height_px] += one.requests
    return dict(requests)
