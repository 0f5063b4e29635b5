"""
Analytics ports: sinks store counts of served segments, stores also answer queries.

A sink stores counts, and how far each spool file is stored: names and deletions are in
the catalog of videos, and lengths are told to a store when it is asked (video_counts). Sinks that say so
(SupportsReports) also store the other data of a batch, together with the counts and
exactly once, too.

A segment is counted before it is sent, and the count is taken back if the answer breaks
off or its process is killed first. Both may be in one batch, and cancel out. Otherwise
the count in the second batch is negative, and that batch may even arrive first. A sink
that adds both has the exact sum, and needs no rule for this. A day or minute whose
segments were all taken back may stay, with 0 segments.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime
from enum import Enum
from pathlib import Path

from hvcore.domain.analytics.breakdown import BreakdownBy, BreakdownDay
from hvcore.domain.analytics.ignored import IgnoredTotal
from hvcore.domain.analytics.live import MinuteTotal
from hvcore.domain.analytics.playback_quality import PlaybackQualityDay
from hvcore.domain.analytics.segments import (
    DateRange,
    DayCount,
    EnvironmentScope,
    EnvironmentServed,
    HeightCount,
    Scope,
    ServedBatch,
    ServedTotals,
)
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.ports.video_counts import CountsByVideo


class BatchRefusedError(Exception):
    """Refuse a batch that does not begin where the spool file was last stored up to."""


class AnalyticsSink(ABC):
    """
    Store counts of served segments, each exactly once.

    ``write``, ``position`` and ``forget`` are called every few seconds by one process
    of each machine that serves segments (the flusher), by one more where the machine
    has an edge (``hv edge ingest``), and never by processes that answer requests: data
    that both need is outside of them. Several processes write at once, but never the
    same spool file. If a call takes two minutes, its process is ended, and the next
    process makes the call again.
    """

    @abstractmethod
    def write(self, batch: ServedBatch) -> None:
        """
        Store a batch's counts and the new position of its spool file, both or neither.

        A batch that ends at or before the position was stored before and changes
        nothing. The counts are durable when the method returns, and queries see them
        from then on.

        Raises:
            BatchRefusedError: The batch begins elsewhere than at the position.
            UnavailableError: The sink does not answer; the call is made again.
        """

    @abstractmethod
    def position(self, file: str) -> int:
        """
        Return the offset up to which a spool file is stored; 0 for a new file.

        Raises:
            UnavailableError: The sink does not answer.
        """

    def forget(self, file: str) -> None:
        """
        Drop the position of a spool file that no longer exists.

        Raises:
            UnavailableError: The sink does not answer; the call is not made again.
        """

    def prepare(self) -> None:
        """
        Create or migrate the tables or files of the sink; part of ``hv migrate``.

        Several processes may call the method at once, each any number of times.

        Raises:
            UnavailableError: The sink does not answer.
            ConfigError: The sink's data is of a newer version.
        """

    def is_prepared(self) -> bool:
        """
        Return whether ``prepare`` would change nothing.

        Raises:
            UnavailableError: The sink does not answer.
        """
        return True

    def is_consistent(self) -> bool:
        """
        Return whether the sink's data is consistent; for ``hv doctor``.

        If a process of an older version has made it inconsistent, ``prepare`` repairs
        it. Takes seconds at most.

        Raises:
            UnavailableError: The sink does not answer.
        """
        return True

    def ping(self) -> None:
        """Raise UnavailableError if the sink does not answer."""

    def close(self) -> None:
        """Release the connections and files of the sink; called once, at the end."""


class AnalyticsStore(CountsByVideo, AnalyticsSink):
    """
    Store counts of served segments and answer queries about them; thread-safe.

    Every method raises UnavailableError if the store does not answer.
    """

    @abstractmethod
    def served(self, videos: Collection[VideoId]) -> Mapping[VideoId, int]:
        """
        Return the number of all segments ever served of each video, by the video's id.

        Called for every list (at most 100 videos), so it must answer within a tenth of
        a second. Videos without served segments may be missing.
        """

    @abstractmethod
    def by_environment(
        self, scope: EnvironmentScope, since: date
    ) -> Mapping[EnvId, EnvironmentServed]:
        """
        Return the segments served of each environment, in all and since a day.

        Environments without served segments may be missing.

        Args:
            scope: The environments that are asked about.
            since: The first day, in UTC, of the second number.
        """

    @abstractmethod
    def totals(self, scope: Scope, days: DateRange) -> ServedTotals:
        """
        Return the totals of the segments served in a range of days.

        Args:
            scope: One video, or environments of an organization.
            days: UTC days, both ends included; an end that is None is open.

        Returns:
            Zeros and None where nothing was served.
        """

    @abstractmethod
    def daily(self, scope: Scope, days: DateRange) -> Sequence[DayCount]:
        """
        Return the segments served per day of a range, oldest first.

        Days without served segments are left out.
        """

    @abstractmethod
    def by_height(self, scope: Scope, days: DateRange) -> Sequence[HeightCount]:
        """
        Return the segments served per height in a range of days, lowest first.

        A height is the short edge of a rung, in pixels. Heights without served segments
        are left out.
        """


class AnalyticsReport(Enum):
    """Name the reports that a sink may store besides counts; batches hold their data."""

    IGNORED = "ignored"
    """Ignored requests, by day."""
    MINUTES = "minutes"
    """Segments by minute, for a time."""
    VIEWERS = "viewers"
    """Sessions, for minutes."""
    QUALITY = "quality"
    """The sums of players' reports, by day."""
    BREAKDOWN = "breakdown"
    """Where segments went, by day."""


class SupportsBackup(ABC):
    """
    Back up a sink whose counts are files of this machine, for ``hv backup``.

    A sink with tables in the service's database does not need this class: a backup has
    all tables. A sink's data on another server is backed up with that server's own
    tools.
    """

    @abstractmethod
    def back_up(self, folder: Path) -> None:
        """
        Copy the counts and positions of one moment into an empty folder.

        The copy has no subfolders. The flusher of this machine does not write
        meanwhile; other machines may. A file that never changes may be copied as a hard
        link.

        Raises:
            UnavailableError: The sink does not answer.
            OSError: The disk is full, or the like.
        """

    @abstractmethod
    def restore(self, folder: Path) -> None:
        """
        Restore copied counts into an empty sink; repeated if it was interrupted.

        Raises:
            ConfigError: The sink has counts already, or the copy is of a newer version.
            UnavailableError: The sink does not answer.
            OSError: The disk is full, or the like.
        """


class SupportsReports:
    """
    Store more data of batches than counts, and answer queries about it; thread-safe.

    A sink inherits this class, names in ``reports`` the reports that it stores, and has
    the methods of these reports. The methods of other reports are never called and
    raise NotImplementedError. Every method raises UnavailableError if the sink does not
    answer.
    """

    reports: frozenset[AnalyticsReport] = frozenset()
    """The reports that the sink stores; constant."""

    def ignored(self, scope: Scope, days: DateRange) -> Sequence[IgnoredTotal]:
        """
        Return the number of ignored requests per reason and height, in any order.

        Reasons that never applied are left out.
        """
        raise NotImplementedError(AnalyticsReport.IGNORED)

    def minutes(self, scope: Scope, first: int, last: int) -> Sequence[MinuteTotal]:
        """
        Return the segments served per minute of a range, oldest first.

        Minutes without served segments are left out.

        Args:
            first: The first minute, as whole minutes since 1970. ``last`` is the last
                minute; both are included.
        """
        raise NotImplementedError(AnalyticsReport.MINUTES)

    def forget_minutes(self, before: int) -> bool:
        """
        Delete some of the counts by minute that are older than a minute.

        The sweep calls the method until nothing is left to delete; each call must be
        short, because others wait.

        Args:
            before: Whole minutes since 1970; counts of this minute and later ones stay.

        Returns:
            Whether more may be left.
        """
        raise NotImplementedError(AnalyticsReport.MINUTES)

    def viewers(self, scope: Scope, since: datetime) -> int:
        """
        Return the number of different viewer sessions seen at or since a moment.

        Args:
            since: A moment in UTC (an aware datetime), some minutes ago.
        """
        raise NotImplementedError(AnalyticsReport.VIEWERS)

    def has_unfollowed(self, org_id: OrgId, since: datetime) -> bool:
        """
        Return whether an organization had more viewer sessions than are followed.

        ``unfollowed`` of a batch says so; only batches at or since the given moment
        count. A sink that does not store ``unfollowed`` returns False.
        """
        del org_id, since
        return False

    def forget_sessions(self, before: datetime) -> bool:
        """
        Delete some of the viewer sessions that were last seen before a moment.

        Data from ``unfollowed`` before the moment is deleted, too. The sweep calls the
        method until nothing is left to delete; each call must be short, because others
        wait.

        Args:
            before: A moment in UTC (an aware datetime).

        Returns:
            Whether more may be left.
        """
        raise NotImplementedError(AnalyticsReport.VIEWERS)

    def quality(self, scope: Scope, days: DateRange) -> Sequence[PlaybackQualityDay]:
        """
        Return the sums of players' reports for each day of a range, oldest first.

        Days without reports are left out.
        """
        raise NotImplementedError(AnalyticsReport.QUALITY)

    def breakdown(
        self, scope: Scope, days: DateRange, by: BreakdownBy
    ) -> Sequence[BreakdownDay]:
        """
        Return the served segments per day and country or referrer, oldest day first.

        For a video's day the sink stores ``MAX_HOSTS`` referrer hosts and sums all
        further hosts up as ``OTHER``, even if several processes write at the same time.

        The rows of a day add up to all segments counted on the day: a row with None
        counts the segments of unknown origin. Where segments of a killed process were
        taken back, the rows may add up to a few more, because origins are not taken
        back.
        """
        raise NotImplementedError(AnalyticsReport.BREAKDOWN)


def sink_that_reports(
    report: AnalyticsReport, sinks: Iterable[AnalyticsSink]
) -> SupportsReports | None:
    """Return the first sink that stores a report; None if no sink does."""
    for sink in sinks:
        if isinstance(sink, SupportsReports) and report in sink.reports:
            return sink
    return None
