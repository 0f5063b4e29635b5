"""Count served segments of videos in the service's own database, SQLite or PostgreSQL."""

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.plugin_api import (
    AnalyticsReport,
    AnalyticsStore,
    DateRange,
    DayCount,
    DayViews,
    EnvId,
    EnvironmentScope,
    EnvironmentServed,
    HeightCount,
    IgnoredReason,
    IgnoredTotal,
    RankedVideos,
    Scope,
    ServedBatch,
    ServedTotals,
    SupportsReports,
    UnavailableError,
    VideoCount,
    VideoId,
    VideoLengths,
    VideoScope,
    VideosInTurn,
)
from hvcore_analytics_sql import (
    environments,
    gaps,
    learning,
    months,
    ranking,
    recount,
    turns,
    videos,
)
from hvcore_analytics_sql.counting import apply
from hvcore_analytics_sql.details import SqlSegmentDetails
from hvcore_analytics_sql.live import SqlLiveCounts
from hvcore_analytics_sql.moments import from_ms
from hvcore_analytics_sql.scopes import within
from hvcore_analytics_sql.tables import (
    environment_days,
    ignored_days,
    is_prepared,
    positions,
    prepare,
    uninstall,
    video_heights,
)
from hvcore_analytics_sql.texts import is_one_of

# Every list and every details answer asks it.
_SERVED: Final = (
    sa.select(video_heights.c.video_id, sa.func.sum(video_heights.c.segments))
    .where(is_one_of(video_heights.c.video_id, sa.bindparam("videos")))
    .group_by(video_heights.c.video_id)
)


class SqlAnalytics(SqlLiveCounts, SqlSegmentDetails, SupportsReports, AnalyticsStore):
    """An analytics store with its counts in SQLite or PostgreSQL."""

    reports = frozenset(AnalyticsReport)

    def write(self, batch: ServedBatch) -> None:
        """
        Add the counts of a batch and store the read position of its spool file, both or neither.

        Raises:
            BatchRefusedError: The batch does not begin at the stored position.
        """
        with self._database.writing() as connection:
            apply(connection, batch)
            connection.commit()

    def position(self, file: str) -> int:
        statement = sa.select(positions.c.applied).where(positions.c.file == file)
        with self._database.reading() as connection:
            return connection.execute(statement).scalar_one_or_none() or 0

    def forget(self, file: str) -> None:
        """Drop the stored read position of a spool file that was removed and never comes back."""
        with self._database.writing() as connection:
            connection.execute(sa.delete(positions).where(positions.c.file == file))
            connection.commit()

    def prepare(self) -> None:
        """Make the tables of the store."""
        prepare(self._database, _count_anew)
        recount.finish(self._database)

    def uninstall(self) -> None:
        """Remove the tables of the store."""
        uninstall(self._database)

    def is_prepared(self) -> bool:
        """Return whether the tables of the store have the form of this version."""
        return is_prepared(self._database)

    def is_consistent(self) -> bool:
        """
        Return whether the tables of different videos and of months agree with the counts by day.

        They disagree after an older version, which lacks these tables, has counted
        segments. A count of all months that waits for its indexes is no agreement.
        """
        with self._database.reading() as connection:
            return (
                not recount.lacks_indexes(connection)
                and gaps.fit_together(connection)
                and months.fit_together(connection)
            )

    def ping(self) -> None:
        """Raise UnavailableError if the database or the tables of the store are not there."""
        if not self.is_prepared():
            raise UnavailableError(
                "The analytics tables are not at this version; run: hv migrate."
            )

    def served(self, videos: Collection[VideoId]) -> Mapping[VideoId, int]:
        wanted = {"videos": json.dumps(list(videos))}
        rows = self._database.ask(_SERVED, wanted)
        return {VideoId(video_id): int(segments) for video_id, segments in rows}

    def by_environment(
        self, scope: EnvironmentScope, since: date
    ) -> Mapping[EnvId, EnvironmentServed]:
        return environments.each(self._database, scope, since)

    def totals(self, scope: Scope, days: DateRange) -> ServedTotals:
        if isinstance(scope, VideoScope):
            return videos.totals(self._database, scope, days)
        table = environment_days
        statement = sa.select(
            sa.func.sum(table.c.segments),
            sa.func.count(table.c.day.distinct()),
            sa.func.min(table.c.first_ms),
            sa.func.max(table.c.last_ms),
        ).where(*within(table, scope, days))
        ((segments, day_count, first_ms, last_ms),) = self._rows(statement)
        return ServedTotals(
            segments=int(segments or 0),
            days=day_count,
            first_at=None if first_ms is None else from_ms(first_ms),
            last_at=None if last_ms is None else from_ms(last_ms),
        )

    def daily(self, scope: Scope, days: DateRange) -> Sequence[DayCount]:
        if isinstance(scope, VideoScope):
            return videos.daily(self._database, scope, days)
        return environments.daily(self._database, scope, days)

    def by_height(self, scope: Scope, days: DateRange) -> Sequence[HeightCount]:
        if isinstance(scope, VideoScope):
            return videos.by_height(self._database, scope, days)
        return environments.by_height(self._database, scope, days)

    def ranked(
        self, asked: RankedVideos, lengths: VideoLengths
    ) -> Sequence[VideoCount]:
        learning.learn_for_report(self._database, lengths)
        return ranking.ranked(self._database, asked)

    def in_turn(
        self, asked: VideosInTurn, lengths: VideoLengths
    ) -> Sequence[VideoCount]:
        if asked.after is None:
            # Once for all pages: the lengths of one file are of one moment.
            learning.learn_for_report(self._database, lengths)
        return turns.in_turn(self._database, asked)

    def watched_by_day(
        self, scope: EnvironmentScope, days: DateRange, lengths: VideoLengths
    ) -> Mapping[date, DayViews]:
        learning.learn_for_report(self._database, lengths)
        return ranking.watched_by_day(self._database, scope, days)

    def learn(self, lengths: VideoLengths) -> None:
        learning.learn(self._database, lengths)

    def ignored(self, scope: Scope, days: DateRange) -> Sequence[IgnoredTotal]:
        """Return the numbers of uncounted requests in a scope and days, by reason and height in pixels."""
        if isinstance(scope, VideoScope):
            return videos.ignored(self._database, scope, days)
        columns = ignored_days.c
        statement = (
            sa.select(columns.reason, columns.height, sa.func.sum(columns.requests))
            .where(*within(ignored_days, scope, days))
            .group_by(columns.reason, columns.height)
        )
        return [
            IgnoredTotal(
                reason=IgnoredReason(reason), height_px=px, requests=int(requests)
            )
            for reason, px, requests in self._rows(statement)
        ]


def _count_anew(connection: Connection) -> None:
    gaps.count_anew(connection)
    until_ms = months.read_until_ms(connection)
    if until_ms is not None and not months.fit_together(connection):
        recount.begin(connection, until_ms)
