"""
The metrics of playback: what players report, and how it is summed.

Each is declared once, in ``METRICS``, and typed twice: as a field of one
report and as a field of the sums. How it is read from CMCD, its place in the
lines of the spool, the columns of sinks, the members of answers and their
schema follow from that.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, Final

import attrs


class SumsAs(Enum):
    """The kinds of sums that are stored about a metric for a day."""

    REPORTS = "reports"
    """A flag: count the reports that had it."""
    NUMBERS = "numbers"
    """A whole number, from 0 on: count, sum, minimum and maximum."""


class Aggregation(Enum):
    """The functions of SQL that make one value of two of a column."""

    SUM = "sum"
    MIN = "min"
    MAX = "max"


@attrs.frozen(kw_only=True)
class PlaybackColumn:
    """
    A number that a sink keeps of a video's day.

    Attributes:
        aggregation: A sum starts at 0; minimum and maximum are None while
            there are no reports.
    """

    name: str
    aggregation: Aggregation


@attrs.frozen(kw_only=True)
class PlaybackMetric:
    """
    The declaration of a metric.

    Attributes:
        key: The field of PlaybackQuality, which names the columns; also in
            lines of the spool. Of lower-case letters, digits and ``_``.
        sums_as: How reports are summed.
        comes_from: The key in CMCD.
        report_field: The field of PlayerReport.
        answer_name: Begins the members of answers, in lower case.
        answer_unit: Ends those of numbers; empty if it has none.
    """

    key: str
    sums_as: SumsAs
    comes_from: str
    report_field: str
    answer_name: str
    answer_unit: str = ""

    @property
    def columns(self) -> tuple[PlaybackColumn, ...]:
        """The columns of the metric, in the order of sinks."""
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
    A player's report about playback, sent with one request.

    Attributes:
        has_starved: Its buffer ran empty since its last request (``bs``).
        is_startup: It needs the file at once: to begin, after seeking, or
            because its buffer is empty (``su``).
        throughput_kbps: As it measured (``mtp``); None if it does not tell.
        buffer_ms: What it has yet to show (``bl``).
        bitrate_kbps: Of what it asks for (``br``).
    """

    has_starved: bool = False
    is_startup: bool = False
    throughput_kbps: int | None = None
    buffer_ms: int | None = None
    bitrate_kbps: int | None = None

    @classmethod
    def of(cls, values: Mapping[str, int]) -> "PlayerReport":
        """
        Make a report.

        Args:
            values: By field; 1 for a flag that was sent.
        """
        return cls(**values)  # type: ignore[arg-type]  # of fields

    def with_values(self, values: Mapping[str, int]) -> "PlayerReport":
        """Return this report with further values, by field."""
        return attrs.evolve(self, **values)  # type: ignore[arg-type]  # as in of()

    def value_of(self, metric: PlaybackMetric) -> int | None:
        """Return the value of a metric; None if the player did not send it."""
        value: int | None = getattr(self, metric.report_field)
        if metric.sums_as is SumsAs.NUMBERS:
            return value
        return 1 if value else None


@attrs.frozen(kw_only=True)
class Measured:
    """
    Count, sum, minimum and maximum of reported numbers.

    Attributes:
        least: None if there are no numbers; then most is None, too.
    """

    count: int = 0
    total: int = 0
    least: int | None = None
    most: int | None = None

    @classmethod
    def of(cls, reported: Iterable[int | None]) -> "Measured":
        """Sum numbers up; None means that a report had none."""
        values = [value for value in reported if value is not None]
        if not values:
            return cls()
        return cls(
            count=len(values), total=sum(values), least=min(values), most=max(values)
        )

    @property
    def mean(self) -> float | None:
        """The arithmetic mean; None if there are none."""
        return self.total / self.count if self.count else None


@attrs.frozen(kw_only=True)
class PlaybackQuality:
    """
    The sums of players' reports.

    Attributes:
        reports: Segments for which a player reported anything.
        starved: Of these, segments before which the buffer ran empty.
        startups: Of these, segments that the player needed at once.
    """

    reports: int
    starved: int
    startups: int
    throughput_kbps: Measured
    buffer_ms: Measured
    bitrate_kbps: Measured

    @classmethod
    def of(cls, reports: Sequence[PlayerReport]) -> "PlaybackQuality":
        """Sum reports up."""
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
        Return the playback quality that the columns of a sink hold.

        Args:
            values: In the order of ``COLUMNS``; None of a sum is 0.
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
        """Return the columns that a sink keeps, in the order of ``COLUMNS``."""
        return (self.reports, *self._sums())

    def reports_of(self, metric: PlaybackMetric) -> int:
        """Return the number of reports that had a metric."""
        value = getattr(self, metric.key)
        return value.count if isinstance(value, Measured) else int(value)

    def measured(self, metric: PlaybackMetric) -> Measured:
        """Return the sums of a metric of numbers."""
        value: Measured = getattr(self, metric.key)
        return value

    def _sums(self) -> Iterator[int | None]:
        for metric in METRICS:
            if metric.sums_as is SumsAs.REPORTS:
                yield self.reports_of(metric)
            else:
                sums = self.measured(metric)
                yield from (sums.count, sums.total, sums.least, sums.most)
