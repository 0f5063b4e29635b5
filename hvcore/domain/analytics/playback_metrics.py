"""
Playback metrics: what players report about playback, and how reports are summed.

Each metric is declared once, in ``METRICS``, and typed twice: as a field of
PlayerReport and as a field of PlaybackQuality. The CMCD key, the field in spool lines,
the columns of sinks, the members of answers and their schema follow from the
declaration.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, Final

import attrs


class SumsAs(Enum):
    """Name the kinds of sums that are stored about a playback metric for a day."""

    REPORTS = "reports"
    """A flag: count the reports that had it."""
    NUMBERS = "numbers"
    """A whole number, from 0 on: count, sum, minimum and maximum."""


class Aggregation(Enum):
    """Name the SQL functions that combine two values of a column into one."""

    SUM = "sum"
    MIN = "min"
    MAX = "max"


@attrs.frozen(kw_only=True)
class PlaybackColumn:
    """
    Declare a number about playback that an analytics sink stores for a video's day.

    Attributes:
        aggregation: How two values are combined. A sum starts at 0; minimum and maximum
            are None while there are no reports.
    """

    name: str
    aggregation: Aggregation


@attrs.frozen(kw_only=True)
class PlaybackMetric:
    """
    Declare a playback metric: how it is read, summed, stored and answered.

    Attributes:
        key: The field of PlaybackQuality, after which columns and fields of spool lines
            are named; lower-case letters, digits and ``_``.
        sums_as: How reports of the metric are summed.
        comes_from: The metric's key in CMCD.
        report_field: The field of PlayerReport.
        answer_name: The beginning of the names of members in answers, in lower case.
        answer_unit: The end of the names of members that are numbers; "" if the metric
            has no unit.
    """

    key: str
    sums_as: SumsAs
    comes_from: str
    report_field: str
    answer_name: str
    answer_unit: str = ""

    @property
    def columns(self) -> tuple[PlaybackColumn, ...]:
        """The columns that sinks store for the metric, in their order."""
        if self.sums_as is SumsAs.REPORTS:
            return (PlaybackColumn(name=self.key, aggregation=Aggregation.SUM),)
        return tuple(
            PlaybackColumn(name=f"{self.key}_{ending}", aggregation=aggregation)
            for ending, aggregation in (
                ("reports", Aggregation.SUM),
                ("total", Aggregation.SUM),
                ("least", Aggregation.MIN),
                ("most", Aggregation.MAX),
            )
        )


METRICS: Final = (
    PlaybackMetric(
        key="starved",
        sums_as=SumsAs.REPORTS,
        comes_from="bs",
        report_field="has_starved",
        answer_name="rebuffering",
    ),
    PlaybackMetric(
        key="startups",
        sums_as=SumsAs.REPORTS,
        comes_from="su",
        report_field="is_startup",
        answer_name="startup",
    ),
    PlaybackMetric(
        key="throughput_kbps",
        sums_as=SumsAs.NUMBERS,
        comes_from="mtp",
        report_field="throughput_kbps",
        answer_name="throughput",
        answer_unit="Kbps",
    ),
    PlaybackMetric(
        key="buffer_ms",
        sums_as=SumsAs.NUMBERS,
        comes_from="bl",
        report_field="buffer_ms",
        answer_name="buffer",
        answer_unit="Ms",
    ),
    PlaybackMetric(
        key="bitrate_kbps",
        sums_as=SumsAs.NUMBERS,
        comes_from="br",
        report_field="bitrate_kbps",
        answer_name="bitrate",
        answer_unit="Kbps",
    ),
)
"""In the order of columns and answers: a new one comes last."""

COLUMNS: Final = (
    PlaybackColumn(name="reports", aggregation=Aggregation.SUM),
    *(column for metric in METRICS for column in metric.columns),
)
"""All that sinks keep: how many reports there were, and what each metric sums up to."""


@attrs.frozen(kw_only=True)
class PlayerReport:
    """
    Hold a player's report about playback, sent with one request.

    Attributes:
        has_starved: Whether the player's buffer ran empty since its last request
            (``bs``).
        is_startup: Whether the player needs the file at once: to begin, after seeking,
            or because its buffer is empty (``su``).
        throughput_kbps: The throughput that the player measured (``mtp``); None if not
            reported.
        buffer_ms: The length of media in the player's buffer (``bl``); None if not
            reported.
        bitrate_kbps: The bitrate of the requested media (``br``); None if not reported.
    """

    has_starved: bool = False
    is_startup: bool = False
    throughput_kbps: int | None = None
    buffer_ms: int | None = None
    bitrate_kbps: int | None = None

    @classmethod
    def of(cls, values: Mapping[str, int]) -> "PlayerReport":
        """
        Make a report from the values of its fields.

        Args:
            values: Numbers by the name of the field; 1 for a flag that was sent.
        """
        return cls(**values)  # type: ignore[arg-type]  # of fields

    def with_values(self, values: Mapping[str, int]) -> "PlayerReport":
        """Return a copy of the report with further values, given by the field's name."""
        return attrs.evolve(self, **values)  # type: ignore[arg-type]  # as in of()

    def value_of(self, metric: PlaybackMetric) -> int | None:
        """Return the report's value of a metric; None if the player did not send it."""
        value: int | None = getattr(self, metric.report_field)
        if metric.sums_as is SumsAs.NUMBERS:
            return value
        return 1 if value else None


@attrs.frozen(kw_only=True)
class Measured:
    """
    Hold the count, sum, minimum and maximum of reported numbers.

    Attributes:
        least: The minimum; None if there are no numbers. Then ``most``, the maximum, is
            None, too.
    """

    count: int = 0
    total: int = 0
    least: int | None = None
    most: int | None = None

    @classmethod
    def of(cls, reported: Iterable[int | None]) -> "Measured":
        """Sum up the numbers of reports; a None stands for a report without the number."""
        values = [value for value in reported if value is not None]
        if not values:
            return cls()
        return cls(
            count=len(values), total=sum(values), least=min(values), most=max(values)
        )

    @property
    def mean(self) -> float | None:
        """The arithmetic mean of the numbers; None if there are no numbers."""
        return self.total / self.count if self.count else None


@attrs.frozen(kw_only=True)
class PlaybackQuality:
    """
    Hold the sums of players' reports about playback.

    Attributes:
        reports: The number of segments for which a player sent a report.
        starved: The number of these segments before which the player's buffer ran
            empty.
        startups: The number of these segments that the player needed at once.
    """

    reports: int
    starved: int
    startups: int
    throughput_kbps: Measured
    buffer_ms: Measured
    bitrate_kbps: Measured

    @classmethod
    def of(cls, reports: Sequence[PlayerReport]) -> "PlaybackQuality":
        """Sum up players' reports."""
        sums: dict[str, Any] = {}
        for metric in METRICS:
            values = [getattr(one, metric.report_field) for one in reports]
            if metric.sums_as is SumsAs.REPORTS:
                sums[metric.key] = sum(values)
            else:
                sums[metric.key] = Measured.of(values)
        return cls(reports=len(reports), **sums)

    @classmethod
    def from_columns(cls, values: Iterable[int | None]) -> "PlaybackQuality":
        """
        Return the sums that are stored in the columns of an analytics sink.

        Args:
            values: The columns' values in the order of ``COLUMNS``; a sum that is None
                counts as 0.
        """
        left = iter(values)
        reports = next(left) or 0
        sums: dict[str, Any] = {}
        for metric in METRICS:
            if metric.sums_as is SumsAs.REPORTS:
                sums[metric.key] = next(left) or 0
                continue
            count, total, least, most = (next(left) for _ in metric.columns)
            sums[metric.key] = Measured(
                count=count or 0, total=total or 0, least=least, most=most
            )
        return cls(reports=reports, **sums)

    def to_columns(self) -> tuple[int | None, ...]:
        """Return the values to store in an analytics sink, in the order of ``COLUMNS``."""
        return (self.reports, *self._sums())

    def reports_of(self, metric: PlaybackMetric) -> int:
        """Return the number of reports that had a value of a metric."""
        value = getattr(self, metric.key)
        return value.count if isinstance(value, Measured) else int(value)

    def measured(self, metric: PlaybackMetric) -> Measured:
        """Return count, sum, minimum and maximum of a metric that is a number."""
        value: Measured = getattr(self, metric.key)
        return value

    def _sums(self) -> Iterator[int | None]:
        for metric in METRICS:
            if metric.sums_as is SumsAs.REPORTS:
                yield self.reports_of(metric)
            else:
                sums = self.measured(metric)
                yield from (sums.count, sums.total, sums.least, sums.most)
