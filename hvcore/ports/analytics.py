"""
The analytics ports: sinks take counts of served segments, stores answer queries.

A sink stores counts and how far it has read each spool file, nothing else: names,
durations and what is deleted are the catalogue's. Sinks that say so (SupportsReports)
also store the other data of a batch, together with the counts and exactly once, too.

A segment is counted before it is sent, and taken back if the answer breaks off or its
process is killed first. Both may be in one batch, and cancel out. Else the second
count is below zero, perhaps in a batch that comes before the first one's. A sink that
adds both has the exact sum, and needs no rule for this. A day or minute of which
everything was taken back may stay, with 0 segments.
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


class BatchRefusedError(Exception):
    """A batch does not begin where the file was last read up to."""


class AnalyticsSink(ABC):
    """
    Take counts of served segments, each once.

    ``write``, ``position`` and ``forget`` are called every few seconds by one process
    of each machine that serves (the flusher), by one more where it has an edge (``hv
    edge ingest``), and never by processes that answer requests: data that both need
    is outside of them. Several write at once, but never the same file. A call that
    takes two minutes ends with its process, and is made again by the next one.
    """

    @abstractmethod
    def write(self, batch: ServedBatch) -> None:
        """
        Add the counts of a batch and move the file's position, both or neither.

        A batch that ends at or before the position was written before and
        changes nothing. Durable when it returns; queries see it from then on.

        Raises:
            BatchRefusedError: It begins elsewhere than at the position.
            UnavailableError: The sink does not answer; it is asked again.
        """

    @abstractmethod
    def position(self, file: str) -> int:
        """
        Return the end of the last batch of a spool file; 0 for a new one.

        Raises:
            UnavailableError: The sink does not answer.
        """

    def forget(self, file: str) -> None:
        """
        Drop the position of a spool file that no longer exists.

        Raises:
            UnavailableError: The sink does not answer; not asked again.
        """

    def prepare(self) -> None:
        """
        Make or migrate what the sink keeps; part of ``hv migrate``.

        Several processes may call it at once, each any number of times.

        Raises:
            UnavailableError: The sink does not answer.
            ConfigError: Its data is of a newer version.
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


class AnalyticsStore(AnalyticsSink):
    """
    A sink that also answers questions; thread-safe.

    Every method raises UnavailableError if the store does not answer.
    """

    @abstractmethod
    def served(self, videos: Collection[VideoId]) -> Mapping[VideoId, int]:
        """
        Return the number of segments served of each video, in all.

        Called for every list (at most 100 videos), so it must be quick: within a
        tenth of a second. Videos of which nothing was served may be missing.
        """

    @abstractmethod
    def by_environment(
        self, scope: EnvironmentScope, since: date
    ) -> Mapping[EnvId, EnvironmentServed]:
        """
        Return the segments served per environment, in all and since a day.

        Environments of which nothing was served may be missing.

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

        Days on which nothing was served are left out.
        """

    @abstractmethod
    def by_height(self, scope: Scope, days: DateRange) -> Sequence[HeightCount]:
        """
        Return the segments served per height in a range of days, lowest first.

        A height is the short edge of a rung, in pixels. Heights of which nothing was
        served are left out.
        """


class AnalyticsReport(Enum):
    """The reports that a sink may store besides counts; batches hold the data."""

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
    A sink whose counts are files of this machine, which ``hv backup`` takes along.

    A sink with tables in the service's database does not need it: all tables are in a
    backup. What is at another server is backed up by that server's own means.
    """

    @abstractmethod
    def back_up(self, folder: Path) -> None:
        """
        Copy counts and positions of one moment into an empty folder.

        No subfolders. The flusher of this machine does not write meanwhile; others may.
        A hard link is a copy of a file that never changes.

        Raises:
            UnavailableError: The sink does not answer.
            OSError: The disk is full, or the like.
        """

    @abstractmethod
    def restore(self, folder: Path) -> None:
        """
        Restore copied counts into an empty sink; called again if it was cut off.

        Raises:
            ConfigError: Something is counted already, or the copy is of a newer version.
            UnavailableError: The sink does not answer.
            OSError: The disk is full, or the like.
        """


class SupportsReports:
    """
    A sink that keeps more of batches than their counts; thread-safe.

    It inherits this, says in ``reports`` what it keeps, and has the methods of
    that. Nobody asks for the rest, which raises NotImplementedError. Every method
    raises UnavailableError if the sink does not answer.
    """

    reports: frozenset[AnalyticsReport] = frozenset()
    """The reports that the sink stores; constant."""

    def ignored(self, scope: Scope, days: DateRange) -> Sequence[IgnoredTotal]:
        """
        Return the ignored segments per reason and height, in any order.

        What never applied is left out.
        """
        raise NotImplementedError(AnalyticsReport.IGNORED)

    def minutes(self, scope: Scope, first: int, last: int) -> Sequence[MinuteTotal]:
        """
        Return the segments served per minute of a range, oldest first.

        Minutes in which nothing was served are left out.

        Args:
            first: Whole minutes since 1970, and so is last; both included.
        """
        raise NotImplementedError(AnalyticsReport.MINUTES)

    def forget_minutes(self, before: int) -> bool:
        """
        Drop some of the minutes before one.

        Called by the sweep until nothing is left; short, because others wait.

        Args:
            before: Whole minutes since 1970; this one stays.

        Returns:
            Whether more may be left.
        """
        raise NotImplementedError(AnalyticsReport.MINUTES)

    def viewers(self, scope: Scope, since: datetime) -> int:
        """
        Return the number of different sessions seen since, or at, a moment.

        Args:
            since: Aware, in UTC; minutes ago.
        """
        raise NotImplementedError(AnalyticsReport.VIEWERS)

    def has_unfollowed(self, org_id: OrgId, since: datetime) -> bool:
        """
        Return whether an organization had more sessions than were followed.

        That is what ``unfollowed`` of a batch says, since a moment or then. A sink
        that does not keep it says no.
        """
        del org_id, since
        return False

    def forget_sessions(self, before: datetime) -> bool:
        """
        Drop some of the sessions last seen before a moment.

        Also drop what ``unfollowed`` said before it. Called by the sweep until nothing
        is left; short, because others wait.

        Args:
            before: Aware, in UTC.

        Returns:
            Whether more may be left.
        """
        raise NotImplementedError(AnalyticsReport.VIEWERS)

    def quality(self, scope: Scope, days: DateRange) -> Sequence[PlaybackQualityDay]:
        """
        Return the sums of players' reports of each of these days, oldest first.

        Days without reports are left out.
        """
        raise NotImplementedError(AnalyticsReport.QUALITY)

    def breakdown(
        self, scope: Scope, days: DateRange, by: BreakdownBy
    ) -> Sequence[BreakdownDay]:
        """
        Return the segments per day and country or referrer, oldest first.

        For a video's day the sink stores ``MAX_HOSTS`` hosts and sums all further
        ones up as ``OTHER``, even if others write at the same time.

        The segments of a day add up to all that were counted on it: what is not
        known is there as None. Where segments of a killed process were taken
        back, they may add up to a few more: whom they went to is not taken back.
        """
        raise NotImplementedError(AnalyticsReport.BREAKDOWN)


def sink_that_reports(
    report: AnalyticsReport, sinks: Iterable[AnalyticsSink]
) -> SupportsReports | None:
    """Return the first sink that stores a report; None if none does."""
    for sink in sinks:
        if isinstance(sink, SupportsReports) and report in sink.reports:
            return sink
    return None
