"""
The analytics ports: who takes the counts of served segments, and who answers.

A sink stores counts and how far it has read each spool file, nothing else:
names, durations and what is deleted are the catalogue's. What a batch holds
besides counts is kept by those sinks that say so (SupportsReports); it is
written together with the counts, once as they are.

A segment is counted before it has left, and taken back if it breaks off then, or if
its process is killed before. Both may be in one batch, and cancel out. Else the count of
the second one is below zero, perhaps in a batch that comes before the first one's:
whoever adds it has the exact sum, and needs to know nothing of this. A day or minute of
which everything was taken back may stay, with 0 segments.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime
from enum import Enum

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
    """
    A batch does not begin where the file was last read up to.
    """


class AnalyticsSink(ABC):
    """
    Take counts of served segments, each once.

    ``write``, ``position`` and ``forget`` are called every few seconds by one
    process of each machine that serves (the drain), by one more where it has an edge
    (``hv edge ingest``), and by nobody who answers requests: what both must know lies
    outside of them. Several write at once, but never the same file. A call that takes
    two minutes ends with its process, and is made again by the next one.
    """

    @abstractmethod
    def write(self, batch: ServedBatch) -> None:
        """
        Add the counts and move the file's position, both or neither.

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
        Drop the position of a spool file that is gone for ever.

        Raises:
            UnavailableError: The sink does not answer; not asked again.
        """

    def prepare(self) -> None:
        """
        Make or migrate what the sink keeps; part of ``hv migrate``.

        Several processes may call it at once, each any number of times.

        Raises:
            UnavailableError: The sink does not answer.
            ConfigError: What it keeps is of a newer version.
        """

    def is_prepared(self) -> bool:
        """
        Tell whether ``prepare`` would change nothing.

        Raises:
            UnavailableError: The sink does not answer.
        """
        return True

    def is_consistent(self) -> bool:
        """
        Tell whether what the sink keeps fits together; asked by ``hv doctor``.

        What does not, after a process of an older version has written, is
        mended by ``prepare``. Takes seconds at most.

        Raises:
            UnavailableError: The sink does not answer.
        """
        return True

    def ping(self) -> None:
        """
        Raise UnavailableError if the sink does not answer.
        """

    def close(self) -> None:
        """
        Release what the sink holds; called once, at the end.
        """


class AnalyticsStore(AnalyticsSink):
    """
    A sink that also answers questions; thread-safe.

    Every method raises UnavailableError if the store does not answer.
    """

    @abstractmethod
    def served(self, videos: Collection[VideoId]) -> Mapping[VideoId, int]:
        """
        Return how many segments of each video were ever served.

        Called for every list (at most 100 videos), so it must be quick.
        Videos of which nothing was served may be missing.
        """

    @abstractmethod
    def by_environment(
        self, scope: EnvironmentScope, since: date
    ) -> Mapping[EnvId, EnvironmentServed]:
        """
        Return what was served of each environment, ever and since a day.

        Environments of which nothing was served may be missing.
        """

    @abstractmethod
    def totals(self, scope: Scope, days: DateRange) -> ServedTotals:
        """
        Return what was served on these days in all.
        """

    @abstractmethod
    def daily(self, scope: Scope, days: DateRange) -> Sequence[DayCount]:
        """
        Return what was served on each of these days, oldest first.

        Days on which nothing was served are left out.
        """

    @abstractmethod
    def by_height(self, scope: Scope, days: DateRange) -> Sequence[HeightCount]:
        """
        Return what was served of each height on these days, lowest first.
        """


class AnalyticsReport(Enum):
    """
    What a sink may tell besides counts; each is what batches hold for it.
    """

    IGNORED = "ignored"
    """Ignored requests, by day."""
    MINUTES = "minutes"
    """Segments by minute, for a time."""
    VIEWERS = "viewers"
    """Sessions, for minutes."""
    QUALITY = "quality"
    """What players told, by day."""
    BREAKDOWN = "breakdown"
    """Where segments went, by day."""


class SupportsReports:
    """
    A sink that keeps more of batches than their counts; thread-safe.

    It inherits this, says in ``reports`` what it keeps, and has the methods of
    that. Nobody asks for the rest, which raises NotImplementedError. Every method
    raises UnavailableError if the sink does not answer.
    """

    reports: frozenset[AnalyticsReport] = frozenset()
    """What the sink keeps; it stays the same."""

    def ignored(self, scope: Scope, days: DateRange) -> Sequence[IgnoredTotal]:
        """
        Return how often each reason applied at each height, in any order.

        What never applied is left out.
        """
        raise NotImplementedError(AnalyticsReport.IGNORED)

    def minutes(self, scope: Scope, first: int, last: int) -> Sequence[MinuteTotal]:
        """
        Return what was served in each of these minutes, oldest first.

        Minutes in which nothing was served are left out.

        Args:
            first: Whole minutes since 1970, and so is last; both included.
        """
        raise NotImplementedError(AnalyticsReport.MINUTES)

    def forget_minutes(self, before: int) -> bool:
        """
        Drop some of the minutes before one; True if more may be left.

        Called by the sweep until nothing is left; short, because others wait.
        """
        raise NotImplementedError(AnalyticsReport.MINUTES)

    def viewers(self, scope: Scope, since: datetime) -> int:
        """
        Return how many different sessions were seen since a moment, or then.
        """
        raise NotImplementedError(AnalyticsReport.VIEWERS)

    def has_unfollowed(self, org_id: OrgId, since: datetime) -> bool:
        """
        Tell whether an organization had more sessions than were followed.

        That is what ``unfollowed`` of a batch says, since a moment or then. A sink
        that does not keep it says no.
        """
        del org_id, since
        return False

    def forget_sessions(self, before: datetime) -> bool:
        """
        Drop some of the sessions last seen before a moment.

        Called by the sweep until nothing is left; short, because others wait.

        Returns:
            Whether more may be left.
        """
        raise NotImplementedError(AnalyticsReport.VIEWERS)

    def quality(self, scope: Scope, days: DateRange) -> Sequence[PlaybackQualityDay]:
        """
        Return what players told on each of these days, oldest first.

        Days on which they told nothing are left out.
        """
        raise NotImplementedError(AnalyticsReport.QUALITY)

    def breakdown(
        self, scope: Scope, days: DateRange, by: BreakdownBy
    ) -> Sequence[BreakdownDay]:
        """
        Return where the segments of each of these days went, oldest first.

        Of a video's day the sink keeps ``MAX_HOSTS`` hosts and takes all further ones
        together as ``OTHER``, whoever else writes at the same time.

        Those of a day add up to all that were counted on it: what is not
        known is there as None. Where segments of a killed process were taken
        back, they may add up to a few more: whom they went to is not taken back.
        """
        raise NotImplementedError(AnalyticsReport.BREAKDOWN)


def sink_that_reports(
    report: AnalyticsReport, sinks: Iterable[AnalyticsSink]
) -> SupportsReports | None:
    """
    Return the first sink that keeps what a report tells; None if none does.
    """
    for sink in sinks:
        if isinstance(sink, SupportsReports) and report in sink.reports:
            return sink
    return None
