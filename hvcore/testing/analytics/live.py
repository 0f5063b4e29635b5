"""The promises of an analytics sink that stores segments by minute and current viewers."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import Final, TypeVar

import pytest

from hvcore.domain.analytics.live import MinuteTotal, SessionSeen
from hvcore.domain.analytics.segments import (
    Scope,
    SegmentServed,
    VideoScope,
)
from hvcore.domain.ids import OrgId, VideoId
from hvcore.ports.analytics import (
    AnalyticsReport,
    AnalyticsSink,
)
from hvcore.testing.analytics.capabilities import CapableKit, reporting
from hvcore.testing.analytics.kit import Reopened
from hvcore.testing.analytics.served import (
    ENV,
    NOON,
    ORG,
    SEGMENT_BYTES,
    VIDEO,
    batch,
    in_env,
    minute_of,
    seen,
    segment,
    taken_back,
    unfollowed,
)
from hvcore.testing.children import spread
from hvcore.testing.held_calls import held_at, lines_of

OF_VIDEO = VideoScope(video_id=VIDEO)
_AT_MOST: Final = 32
"""The most lines of a call at which another call runs in between."""
_MANY: Final = 1_200
"""The number of old minutes or sessions: more than a sink forgets in one call."""
_WhenT = TypeVar("_WhenT")


class MinutesConformance(CapableKit):
    """The promises of an analytics sink that stores segments by minute (AnalyticsReport.MINUTES)."""

    def test_segments_are_counted_by_minute(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """Segments of all heights are counted together by minute; minutes without segments are left out."""
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
        """A batch that is written twice adds its minutes once."""
        one = batch(segment())
        sink.write(one)
        sink.write(one)
        noon = minute_of(NOON)

        assert _minutes(sink, OF_VIDEO, noon, noon) == [
            MinuteTotal(minute=noon, segments=1)
        ]

    def test_a_count_taken_back_is_missing_in_its_minute(
        self, sink: AnalyticsSink
    ) -> None:
        """A count that is taken back is subtracted from its minute, as from its day."""
        sink.write(batch(segment(), segment()))
        sink.write(taken_back(batch(segment(), start=20)))
        noon = minute_of(NOON)

        assert _minutes(sink, OF_VIDEO, noon, noon) == [
            MinuteTotal(minute=noon, segments=1)
        ]

    def test_a_minute_below_zero_waits_for_the_counts_that_were_taken_back(
        self, sink: AnalyticsSink
    ) -> None:
        """Counts of a minute taken back in two batches before they come are both subtracted."""
        sink.write(taken_back(batch(segment())))
        sink.write(taken_back(batch(segment(), start=10)))
        sink.write(batch(segment(), segment(), segment(), start=20))
        noon = minute_of(NOON)

        found = _minutes(sink, OF_VIDEO, noon, noon)
        assert found == [MinuteTotal(minute=noon, segments=1)], (
            "3 segments and 2 taken back before are 1: a sum below zero was not stored"
        )

    def test_minutes_are_those_of_a_scope(self, sink: AnalyticsSink) -> None:
        """Minutes are returned only of the given scope; a scope without environments gets none."""
        sink.write(batch(segment(), segment("vid_kit_2", env="live")))
        noon = minute_of(NOON)

        def total(scope: Scope) -> int:
            return sum(one.segments for one in _minutes(sink, scope, noon, noon))

        assert total(OF_VIDEO) == 1
        assert total(in_env("live")) == 1
        assert total(in_env("live", ENV)) == 2
        assert total(in_env()) == 0
        assert total(in_env(ENV, org="org_other")) == 0

    def test_minutes_of_a_video_are_not_those_of_its_neighbours(
        self, sink: AnalyticsSink
    ) -> None:
        """Minutes of a video have its segments alone, also beside other videos of its environment."""
        sink.write(batch(segment(), segment("vid_kit_2"), segment("vid_kit_2")))
        noon = minute_of(NOON)

        found = _minutes(sink, OF_VIDEO, noon, noon)
        assert found == [MinuteTotal(minute=noon, segments=1)], (
            "the minute of a video has segments of another one of its environment"
        )

    def test_old_minutes_go_and_the_rest_stays(self, sink: AnalyticsSink) -> None:
        """Forgetting minutes before a given one removes the earlier minutes, and leaves that minute and later ones."""
        noon = minute_of(NOON)
        times = [NOON + timedelta(minutes=number) for number in (-100, -1, 0, 1)]
        sink.write(batch(*(segment(at=at) for at in times)))
        _forget(reporting(sink, AnalyticsReport.MINUTES).forget_minutes, noon)
        left = _minutes(sink, OF_VIDEO, noon - 200, noon + 200)

        assert [one.minute for one in left] == [noon, noon + 1]

    def test_many_old_minutes_go_to_the_last_one(self, sink: AnalyticsSink) -> None:
        """The sink says that more may be left until every old minute is forgotten, however many there are."""
        noon = minute_of(NOON)
        times = [NOON - timedelta(minutes=number) for number in range(_MANY)]
        sink.write(batch(*(segment(at=at) for at in times)))
        _forget(reporting(sink, AnalyticsReport.MINUTES).forget_minutes, noon)
        left = _minutes(sink, OF_VIDEO, noon - _MANY, noon)

        assert [one.minute for one in left] == [noon], (
            "forget_minutes said that nothing more is left, and old minutes are"
        )

    def test_old_minutes_go_while_others_count(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """Minutes that are counted while old ones are forgotten stay, at whatever line of code forgetting is."""
        other, noon = reopened(), minute_of(NOON)
        forget_minutes = reporting(sink, AnalyticsReport.MINUTES).forget_minutes
        forget = partial(_forget, forget_minutes, noon)
        early = segment(at=NOON - timedelta(minutes=1))
        for start, line in _places(sink, early, forget):
            sink.write(batch(early, file="kit-b.log", start=start))
            with held_at(line) as hold:
                hold(forget, partial(other.write, batch(segment(), start=start)))

                expected = [MinuteTotal(minute=noon, segments=1)]
                assert _minutes(sink, OF_VIDEO, noon - 1, noon) == expected, (
                    "of old minutes and a new one beside them, not the new one alone is left"
                )
            _forget(forget_minutes, noon + 1)


class ViewersConformance(CapableKit):
    """The promises of an analytics sink that stores current viewers (AnalyticsReport.VIEWERS)."""

    def test_a_session_is_one_viewer_wherever_it_was_seen(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """A session counts as one viewer, also if several processes have seen it with several videos."""
        sink.write(batch(seen("a"), seen("b")))
        other = reopened()
        other.write(batch(seen("a"), seen("c", "vid_kit_2"), file="kit-b.log"))
        other.write(batch(seen("a", "vid_kit_2"), file="kit-c.log"))

        for each in (sink, other):
            assert _viewers(each, OF_VIDEO) == 2
            assert _viewers(each, in_env(ENV)) == 3

    def test_a_viewer_last_seen_before_the_moment_is_not_counted(
        self, sink: AnalyticsSink
    ) -> None:
        """Viewers since a moment are the sessions last seen then or later, in whatever order sightings are written."""
        early = NOON - timedelta(milliseconds=1)
        sink.write(batch(seen("a"), seen("b", at=early), seen("c", at=early)))
        sink.write(batch(seen("a", at=early), seen("c"), start=30))

        assert _viewers(sink, OF_VIDEO) == 2

    def test_each_letter_of_a_session_s_id_tells_viewers_apart(
        self, sink: AnalyticsSink
    ) -> None:
        """Sessions with ids that differ by a letter's case or by one character are different viewers."""
        alike = ("aB_-x", "ab_-x", "AB_-X", "aB_-", "aB--x", "aB__x")
        sink.write(batch(*(seen(session) for session in alike)))

        found = _viewers(sink, OF_VIDEO)
        assert found == len(alike), (
            f"{len(alike)} sessions are {found} viewers: ids are not compared exactly"
        )

    def test_viewers_are_those_of_a_scope(self, sink: AnalyticsSink) -> None:
        """Viewers are counted only in the given scope; a scope without environments has none."""
        sink.write(batch(seen("a"), seen("a", "vid_kit_2", env="live")))

        assert _viewers(sink, in_env(ENV)) == 1
        assert _viewers(sink, in_env("live", ENV)) == 1
        assert _viewers(sink, in_env()) == 0
        assert _viewers(sink, in_env(ENV, org="org_other")) == 0
        assert _viewers(sink, VideoScope(video_id=VideoId("vid_never"))) == 0

    def test_forgotten_sessions_are_gone(self, sink: AnalyticsSink) -> None:
        """Forgetting sessions removes those last seen before a moment, and keeps those seen at that moment."""
        early = NOON - timedelta(minutes=2)
        sink.write(batch(seen("a", at=early), seen("b")))
        _forget(reporting(sink, AnalyticsReport.VIEWERS).forget_sessions, NOON)
        since = early - timedelta(days=1)

        assert reporting(sink, AnalyticsReport.VIEWERS).viewers(OF_VIDEO, since) == 1

    def test_many_old_sessions_go_to_the_last_one(self, sink: AnalyticsSink) -> None:
        """The sink says that more may be left until every old session is forgotten, however many there are."""
        early = NOON - timedelta(minutes=2)
        old = [seen(f"old {number}", at=early) for number in range(_MANY)]
        sink.write(batch(seen("new"), *old))
        _forget(reporting(sink, AnalyticsReport.VIEWERS).forget_sessions, NOON)

        assert _viewers(sink, OF_VIDEO, early) == 1, (
            "forget_sessions said that nothing more is left, and old sessions are"
        )

    def test_sessions_are_forgotten_while_others_count(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """Sessions that are seen while old ones are forgotten stay, at whatever line of code forgetting is."""
        other = reopened()
        forget_sessions = reporting(sink, AnalyticsReport.VIEWERS).forget_sessions
        forget = partial(_forget, forget_sessions, NOON)
        early = seen("old", at=NOON - timedelta(minutes=1))
        for start, line in _places(sink, early, forget):
            sink.write(batch(early, file="kit-b.log", start=start))
            with held_at(line) as hold:
                hold(forget, partial(other.write, batch(seen("new"), start=start)))

                assert _viewers(sink, OF_VIDEO, early.at) == 1, (
                    "of old sessions and a new one beside them, not the new one alone is left"
                )
            _forget(forget_sessions, NOON + timedelta(milliseconds=1))

    def test_a_video_with_more_viewers_than_are_followed_is_known(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """An organization with more sessions than are followed since a moment is known as such in every process; others are not."""
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
        """Forgetting sessions before a moment also removes older records that an organization has unfollowed sessions."""
        early = NOON - timedelta(minutes=2)
        sink.write(batch(unfollowed(org="org_early", at=early), unfollowed()))
        viewers = reporting(sink, AnalyticsReport.VIEWERS)
        _forget(viewers.forget_sessions, NOON)
        since = early - timedelta(days=1)

        assert not viewers.has_unfollowed(OrgId("org_early"), since)
        assert viewers.has_unfollowed(OrgId(ORG), since)


def _minutes(
    sink: AnalyticsSink, scope: Scope, first: int, last: int
) -> list[MinuteTotal]:
    return list(reporting(sink, AnalyticsReport.MINUTES).minutes(scope, first, last))


def _viewers(sink: AnalyticsSink, scope: Scope, since: datetime = NOON) -> int:
    return reporting(sink, AnalyticsReport.VIEWERS).viewers(scope, since)


def _forget(forget: Callable[[_WhenT], bool], before: _WhenT) -> None:
    for _ in range(1_000):
        if not forget(before):
            return
    pytest.fail("forgetting comes to no end")


def _places(
    sink: AnalyticsSink, early: SegmentServed | SessionSeen, forget: Callable[[], None]
) -> Iterator[tuple[int, int]]:
    """Yield the start of the next batch and a line number, for each line that forgetting runs."""
    # The first one does what is done once.
    for start in (0, 10):
        sink.write(batch(early, file="kit-c.log", start=start))
        lines = lines_of(forget)
    for number, line in enumerate(spread(lines, at_most=_AT_MOST)):
        yield number * SEGMENT_BYTES, line


def _has_unfollowed(sink: AnalyticsSink, org: str) -> bool:
    viewers = reporting(sink, AnalyticsReport.VIEWERS)
    return viewers.has_unfollowed(OrgId(org), NOON)
