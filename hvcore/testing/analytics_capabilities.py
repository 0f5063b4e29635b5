"""
The promises of a sink that keeps more of a batch than its counts.
"""

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar

import pytest

from hvcore.domain.analytics.ignored import IgnoredReason
from hvcore.domain.analytics.live import MinuteTotal
from hvcore.domain.analytics.segments import ALL_TIME, DateRange, Scope, VideoScope
from hvcore.domain.ids import OrgId, VideoId
from hvcore.ports.analytics import (
    AnalyticsReport,
    AnalyticsSink,
    SupportsReports,
)
from hvcore.testing.analytics_sinks import Reopened
from hvcore.testing.deviations import DeclaresDeviations
from hvcore.testing.served import (
    ENV,
    NOON,
    ORG,
    VIDEO,
    BreaksOffError,
    batch,
    cut_off,
    ignored,
    in_env,
    minute_of,
    seen,
    segment,
    taken_back,
    unfollowed,
)

OF_VIDEO = VideoScope(video_id=VIDEO)
_WhenT = TypeVar("_WhenT")


class _Capable(DeclaresDeviations):
    @pytest.fixture
    def sink(self) -> AnalyticsSink:
        raise NotImplementedError("give the fixture: a prepared, empty sink")

    @pytest.fixture
    def reopened(self) -> Reopened:
        raise NotImplementedError("give the fixture: opens the same data again")


class IgnoredConformance(_Capable):
    """
    The promises of AnalyticsReport.IGNORED.
    """

    def test_ignored_requests_are_counted_by_reason_and_height(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """
        Those of a batch and of another one add up, in every process.
        """
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
        """
        As the counts of the same batch are.
        """
        one = batch(ignored(), segment())
        sink.write(one)
        sink.write(one)
        reopened().write(one)

        assert _ignored(sink, OF_VIDEO) == {(IgnoredReason.HEAD, 720): 1}

    def test_a_write_that_fails_ignores_nothing(self, sink: AnalyticsSink) -> None:
        """
        The position stays, and the batch can be written again.
        """
        whole = batch(ignored(), ignored(height_px=360))
        with pytest.raises(BreaksOffError):
            sink.write(cut_off(whole))

        assert _ignored(sink, OF_VIDEO) == {}
        sink.write(whole)
        assert sum(_ignored(sink, OF_VIDEO).values()) == 2

    def test_ignored_requests_are_those_of_a_scope_and_of_days(
        self, sink: AnalyticsSink
    ) -> None:
        """
        A range includes both ends; others' rows are left out.
        """
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
        """
        Nothing was ignored where segments were served, and the reverse.
        """
        sink.write(batch(segment()))

        assert _ignored(sink, OF_VIDEO) == {}


class MinutesConformance(_Capable):
    """
    The promises of AnalyticsReport.MINUTES.
    """

    def test_segments_are_counted_by_minute(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """
        Of all heights together; empty minutes are left out.
        """
        late = NOON + timedelta(minutes=2, seconds=59, milliseconds=999)
        sink.write(batch(segment(), segment(height_px=360), segment(at=late)))
        sink.write(batch(segment(at=late), start=30))
        noon = minute_of(NOON)
        expected = [
            MinuteTotal(minute=noon, segments=2),
            MinuteTotal(minute=noon + 2, segments=2),
        ]

        for each in (sink, reopened()):
            assert _minutes(each, OF_VIDEO, noon, noon + 2) == expected
            assert _minutes(each, in_env(ENV), noon, noon + 2) == expected
        assert _minutes(sink, OF_VIDEO, noon, noon + 1) == expected[:1]
        assert _minutes(sink, OF_VIDEO, noon + 1, noon + 2) == expected[1:]

    def test_minutes_are_taken_once(self, sink: AnalyticsSink) -> None:
        """
        As the counts of the same batch are.
        """
        one = batch(segment())
        sink.write(one)
        sink.write(one)
        noon = minute_of(NOON)

        assert _minutes(sink, OF_VIDEO, noon, noon) == [
            MinuteTotal(minute=noon, segments=1)
        ]

    def test_what_was_taken_back_is_missing_in_its_minute(
        self, sink: AnalyticsSink
    ) -> None:
        """
        As in the counts of the same batch.
        """
        sink.write(batch(segment(), segment()))
        sink.write(taken_back(batch(segment(), start=20)))
        noon = minute_of(NOON)

        assert _minutes(sink, OF_VIDEO, noon, noon) == [
            MinuteTotal(minute=noon, segments=1)
        ]

    def test_minutes_are_those_of_a_scope(self, sink: AnalyticsSink) -> None:
        """
        A scope without environments gets nothing.
        """
        sink.write(batch(segment(), segment("vid_kit_2", env="live")))
        noon = minute_of(NOON)

        def total(scope: Scope) -> int:
            return sum(one.segments for one in _minutes(sink, scope, noon, noon))

        assert total(OF_VIDEO) == 1
        assert total(in_env("live")) == 1
        assert total(in_env("live", ENV)) == 2
        assert total(in_env()) == 0
        assert total(in_env(ENV, org="org_other")) == 0

    def test_old_minutes_go_and_the_rest_stays(self, sink: AnalyticsSink) -> None:
        """
        The first reason stays; the days have all of them.
        """
        noon = minute_of(NOON)
        times = [NOON + timedelta(minutes=number) for number in (-100, -1, 0, 1)]
        sink.write(batch(*(segment(at=at) for at in times)))
        _forget(reporting(sink, AnalyticsReport.MINUTES).forget_minutes, noon)
        left = _minutes(sink, OF_VIDEO, noon - 200, noon + 200)

        assert [one.minute for one in left] == [noon, noon + 1]


class ViewersConformance(_Capable):
    """
    The promises of AnalyticsReport.VIEWERS.
    """

    def test_a_session_is_one_viewer_wherever_it_was_seen(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """
        By several processes, of several videos: each session counts once.
        """
        sink.write(batch(seen("a"), seen("b")))
        other = reopened()
        other.write(batch(seen("a"), seen("c", "vid_kit_2"), file="kit-b.log"))
        other.write(batch(seen("a", "vid_kit_2"), file="kit-c.log"))

        for each in (sink, other):
            assert _viewers(each, OF_VIDEO) == 2
            assert _viewers(each, in_env(ENV)) == 3

    def test_who_was_seen_before_is_no_viewer(self, sink: AnalyticsSink) -> None:
        """
        The latest moment decides, whichever comes first.
        """
        early = NOON - timedelta(milliseconds=1)
        sink.write(batch(seen("a"), seen("b", at=early), seen("c", at=early)))
        sink.write(batch(seen("a", at=early), seen("c"), start=30))

        assert _viewers(sink, OF_VIDEO) == 2

    def test_viewers_are_those_of_a_scope(self, sink: AnalyticsSink) -> None:
        """
        A scope without environments gets nothing.
        """
        sink.write(batch(seen("a"), seen("a", "vid_kit_2", env="live")))

        assert _viewers(sink, in_env(ENV)) == 1
        assert _viewers(sink, in_env("live", ENV)) == 1
        assert _viewers(sink, in_env()) == 0
        assert _viewers(sink, in_env(ENV, org="org_other")) == 0
        assert _viewers(sink, VideoScope(video_id=VideoId("vid_never"))) == 0

    def test_forgotten_sessions_are_gone(self, sink: AnalyticsSink) -> None:
        """
        Those seen at the moment itself stay.
        """
        early = NOON - timedelta(minutes=2)
        sink.write(batch(seen("a", at=early), seen("b")))
        _forget(reporting(sink, AnalyticsReport.VIEWERS).forget_sessions, NOON)
        since = early - timedelta(days=1)

        assert reporting(sink, AnalyticsReport.VIEWERS).viewers(OF_VIDEO, since) == 1

    def test_who_has_more_viewers_than_are_followed_is_known(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """
        The latest moment decides, whichever comes first; others are not concerned.
        """
        early = NOON - timedelta(milliseconds=1)
        sink.write(batch(unfollowed(), unfollowed(org="org_early", at=early)))
        sink.write(batch(unfollowed(at=early), start=20))

        for each in (sink, reopened()):
            assert _has_unfollowed(each, ORG)
            assert not _has_unfollowed(each, "org_early")
            assert not _has_unfollowed(each, "org_other")
            assert _viewers(each, in_env(ENV)) == 0

    def test_forgotten_notes_of_more_viewers_are_gone(
        self, sink: AnalyticsSink
    ) -> None:
        """
        Those of the moment itself stay.
        """
        early = NOON - timedelta(minutes=2)
        sink.write(batch(unfollowed(org="org_early", at=early), unfollowed()))
        viewers = reporting(sink, AnalyticsReport.VIEWERS)
        _forget(viewers.forget_sessions, NOON)
        since = early - timedelta(days=1)

        assert not viewers.has_unfollowed(OrgId("org_early"), since)
        assert viewers.has_unfollowed(OrgId(ORG), since)


def reporting(sink: AnalyticsSink, report: AnalyticsReport) -> SupportsReports:
    """
    Return a sink that stores a report; others fail.
    """
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


def _minutes(
    sink: AnalyticsSink, scope: Scope, first: int, last: int
) -> list[MinuteTotal]:
    return list(reporting(sink, AnalyticsReport.MINUTES).minutes(scope, first, last))


def _viewers(sink: AnalyticsSink, scope: Scope) -> int:
    return reporting(sink, AnalyticsReport.VIEWERS).viewers(scope, NOON)


def _forget(forget: Callable[[_WhenT], bool], before: _WhenT) -> None:
    for _ in range(1_000):
        if not forget(before):
            return
    pytest.fail("forgetting comes to no end")


def _has_unfollowed(sink: AnalyticsSink, org: str) -> bool:
    viewers = reporting(sink, AnalyticsReport.VIEWERS)
    return viewers.has_unfollowed(OrgId(org), NOON)
