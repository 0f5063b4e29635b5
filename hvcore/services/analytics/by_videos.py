"""Report views and watched time by video, by day, and of all videos as a file."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, date
from typing import Final, Protocol

import attrs

from hvcore.clock import Clock
from hvcore.domain.access.principals import Principal
from hvcore.domain.access.tenants import Environment
from hvcore.domain.analytics.segments import (
    DateRange,
    DayCount,
    VideoScope,
    daily_range,
    fill_days,
)
from hvcore.domain.analytics.video_counts import (
    DayViews,
    NamedCount,
    RankedVideos,
    VideoCount,
    VideoPageQuery,
    VideosInTurn,
    WatchedDay,
    views_of,
    watched_s,
)
from hvcore.domain.ids import VideoId
from hvcore.domain.videos.video import Video
from hvcore.ports.analytics import AnalyticsStore
from hvcore.ports.repositories.catalog import VideoCatalog
from hvcore.ports.video_counts import VideoLengths
from hvcore.services.access.authorization import listed_video
from hvcore.services.analytics.counts import Analytics, scope_of

FILE_PAGE: Final = 10_000
"""The counts of a file that are in memory at a time: some 10 MB."""


class VideoNames(VideoLengths, Protocol):
    """Tell the lengths and the names of videos; thread-safe."""

    def names(self, wanted: Collection[VideoId]) -> Mapping[VideoId, str]:
        """
        Return the name of each of some videos; names that were purged are missing.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...


@attrs.frozen(kw_only=True)
class WatchedVideos:
    """Report the views and the watched time of videos and of days."""

    counts: Analytics
    videos: VideoCatalog
    figures: VideoNames
    store: AnalyticsStore
    clock: Clock

    def page(
        self, envs: Sequence[Environment], query: VideoPageQuery
    ) -> tuple[Sequence[NamedCount], bool]:
        """
        Return a page of the videos served in a range of days, and whether there are more.

        Args:
            envs: The environments, all of one organization.
        """
        if not envs:
            return (), False
        found = self.store.ranked(
            RankedVideos(
                scope=scope_of(envs),
                days=self._days(query.days),
                by_day=query.by_day,
                sort=query.sort,
                is_ascending=query.is_ascending,
                skip=(query.page - 1) * query.page_size,
                # One more tells whether another page follows.
                limit=query.page_size + 1,
            ),
            self.figures,
        )
        return self._named(found[: query.page_size]), len(found) > query.page_size

    def all(
        self, envs: Sequence[Environment], asked: DateRange, *, by_day: bool
    ) -> Iterator[Sequence[NamedCount]]:
        """
        Yield all videos served in a range of days in the order of their ids, in parts.

        The first part is read at once, so that errors come before a file has begun.

        Args:
            envs: The environments, all of one organization; their videos come one environment
                after the other.
        """
        parts = self._parts(envs, self._days(asked), by_day=by_day)
        first = next(parts, ())
        return _chained(first, parts)

    def daily(
        self, envs: Sequence[Environment], asked: DateRange, *, is_filled: bool
    ) -> Sequence[WatchedDay]:
        """
        Return the segments, views and watched time of environments by day, oldest first.

        Args:
            envs: The environments, all of one organization.
            is_filled: Whether days on which nothing was served are included.
        """
        counts = self.counts.daily(envs, asked, is_filled=is_filled)
        if not envs or not counts:
            return [WatchedDay(count=count, watched=DayViews()) for count in counts]
        days = self._days(asked)
        watched = self.store.watched_by_day(scope_of(envs), days, self.figures)
        nothing = DayViews()
        return [
            WatchedDay(count=count, watched=watched.get(count.day, nothing))
            for count in counts
        ]

    def video_daily(
        self,
        caller: Principal,
        org_id: str,
        video_id: str,
        asked: DateRange,
        *,
        is_filled: bool,
    ) -> tuple[Video, Sequence[WatchedDay]]:
        """
        Return a video, and its segments, views and watched time by day, oldest first.

        Raises:
            VideoNotFoundError: There is no such video, it is deleted, or its file has not arrived yet.
            ForbiddenError: The video is outside the environment of the caller's API key.
        """
        video = listed_video(self.videos, caller, org_id, video_id)
        days = self._days(asked)
        found = self.store.daily(VideoScope(video_id=video.id), days)
        counts: Sequence[DayCount] = [one for one in found if any(one.heights.values())]
        if is_filled:
            counts = fill_days(counts, days, self._today())
        return video, [
            WatchedDay(
                count=count,
                watched=DayViews(
                    views=views_of(count.segments, video.duration_s),
                    watched_s=watched_s(count.segments, video.duration_s),
                ),
            )
            for count in counts
        ]

    def _parts(
        self, envs: Sequence[Environment], days: DateRange, *, by_day: bool
    ) -> Iterator[Sequence[NamedCount]]:
        for env in envs:
            asked = VideosInTurn(
                org_id=env.org_id,
                env_id=env.id,
                days=days,
                by_day=by_day,
                limit=FILE_PAGE,
            )
            while found := self.store.in_turn(asked, self.figures):
                yield self._named(found)
                if len(found) < FILE_PAGE:
                    break
                asked = attrs.evolve(asked, after=found[-1])

    def _named(self, counts: Sequence[VideoCount]) -> Sequence[NamedCount]:
        names = self.figures.names({count.video_id for count in counts})
        return [
            NamedCount(count=count, name=names.get(count.video_id, ""))
            for count in counts
        ]

    def _days(self, asked: DateRange) -> DateRange:
        return daily_range(asked, self._today())

    def _today(self) -> date:
        return self.clock.now().astimezone(UTC).date()


def _chained(
    first: Sequence[NamedCount], others: Iterator[Sequence[NamedCount]]
) -> Iterator[Sequence[NamedCount]]:
    yield first
    yield from others
