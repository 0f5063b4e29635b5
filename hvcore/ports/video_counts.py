"""
Ports of counts by video: the service tells lengths, and stores sort by views.

A store stores no names and no deletions, but to sort by views it has to know how long
videos are. It asks for the lengths that have changed when it is asked, and may keep
them. ``CountsByVideo`` answers from the other questions of a store, video by video:
right, and slow where there are many videos.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, datetime
from itertools import islice
from typing import Final, Protocol, cast

from hvcore.domain.analytics.segments import (
    DateRange,
    DayCount,
    EnvironmentScope,
    ServedTotals,
    VideoScope,
)
from hvcore.domain.analytics.video_counts import (
    DayViews,
    RankedVideos,
    VideoCount,
    VideoLength,
    VideosInTurn,
    views_of,
    watched_s,
)
from hvcore.domain.ids import VideoId

_PAGE: Final = 1_000


class VideoLengths(Protocol):
    """Tell the lengths of videos that are or were ready; thread-safe."""

    def changed(
        self, since: datetime | None, after: VideoId, limit: int
    ) -> Sequence[VideoLength]:
        """
        Return lengths in the order in which they changed, then of the videos' ids.

        A length may appear some seconds late, with an earlier moment than lengths that
        were returned before: who keeps lengths asks for the last minutes again.

        Args:
            since: Lengths of this moment with a greater id than ``after``, and all
                later ones; None for all.
            limit: The most lengths to return.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def each(
        self, scope: EnvironmentScope, after: VideoId, limit: int
    ) -> Sequence[VideoLength]:
        """
        Return the lengths of an organization's videos with greater ids, sorted by id.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def of(self, videos: Collection[VideoId]) -> Mapping[VideoId, float]:
        """
        Return the length of each of some videos in seconds; unknown ones are missing.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...


class _SingleVideos(Protocol):
    """The questions about single videos that a store answers; see ports.analytics.AnalyticsStore."""

    def totals(self, scope: VideoScope, days: DateRange) -> ServedTotals: ...

    def daily(self, scope: VideoScope, days: DateRange) -> Sequence[DayCount]: ...


class CountsByVideo:
    """
    Answer questions about counts by video; a part of every AnalyticsStore.

    The methods here answer from ``totals`` and ``daily``, for one video at a time. A
    store that can do better has methods of its own. Counts of 0 segments are left out.
    Every method raises UnavailableError if the store does not answer.
    """

    def ranked(
        self, asked: RankedVideos, lengths: VideoLengths
    ) -> Sequence[VideoCount]:
        """Return a page of counts of the videos served in a range of days, sorted by one count."""
        found = list(
            self._counts(asked.scope, asked.days, lengths, by_day=asked.by_day)
        )
        found.sort(
            key=lambda one: (
                one.day or date.min,
                one.figure(asked.sort),
                one.video_id,
            ),
            reverse=not asked.is_ascending,
        )
        return found[asked.skip : asked.skip + asked.limit]

    def in_turn(
        self, asked: VideosInTurn, lengths: VideoLengths
    ) -> Sequence[VideoCount]:
        """Return the counts of the next videos served in a range of days, for a file of all videos."""
        found = sorted(
            self._counts(asked.scope, asked.days, lengths, by_day=asked.by_day),
            key=_turn,
        )
        after = asked.after
        left = (one for one in found if after is None or _turn(one) > _turn(after))
        return list(islice(left, asked.limit))

    def watched_by_day(
        self, scope: EnvironmentScope, days: DateRange, lengths: VideoLengths
    ) -> Mapping[date, DayViews]:
        """
        Return the views and the watched time of environments by day.

        Days without views may be missing.
        """
        found: dict[date, DayViews] = {}
        for one in self._counts(scope, days, lengths, by_day=True):
            assert one.day is not None  # noqa: S101 - by day
            sums = found.get(one.day, DayViews())
            found[one.day] = DayViews(
                views=sums.views + views_of(one.segments, one.length_s),
                watched_s=sums.watched_s + watched_s(one.segments, one.length_s),
            )
        return found

    def learn(self, lengths: VideoLengths) -> None:
        """
        Take over the lengths that have changed; part of ``hv migrate`` and of the sweep.

        A store that keeps no lengths in its tables does nothing. The sweep waits for it, so
        it takes seconds, not minutes: what is left is for the next call, and for
        ``prepare``, which ``hv migrate`` calls afterwards.

        Raises:
            UnavailableError: The store or the database does not answer.
        """

    def _counts(
        self,
        scope: EnvironmentScope,
        days: DateRange,
        lengths: VideoLengths,
        *,
        by_day: bool,
    ) -> Iterator[VideoCount]:
        store = cast("_SingleVideos", self)
        for known in _known(scope, lengths):
            video = VideoScope(video_id=known.video_id)
            ranges = [days]
            if by_day:
                served = store.daily(video, days)
                ranges = [DateRange(first=one.day, last=one.day) for one in served]
            for one in ranges:
                totals = store.totals(video, one)
                if totals.segments and totals.last_at is not None:
                    yield VideoCount(
                        video_id=known.video_id,
                        day=one.first if by_day else None,
                        segments=totals.segments,
                        length_s=known.length_s,
                        last_at=totals.last_at,
                    )


def _known(scope: EnvironmentScope, lengths: VideoLengths) -> Iterator[VideoLength]:
    after = VideoId("")
    while page := lengths.each(scope, after, _PAGE):
        yield from (one for one in page if one.env_id in scope.env_ids)
        after = page[-1].video_id


def _turn(count: VideoCount) -> tuple[date, VideoId]:
    return (count.day or date.min, count.video_id)
