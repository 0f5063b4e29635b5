"""
The metrics of playback: what players tell with requests, and how it sums up.

Each is declared once, in ``METRICS``, and typed twice: as a field of what one
player tells and of what all told. How it is read from CMCD, its place in the
lines of the spool, the columns of sinks, the members of answers and their
schema follow from that.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, Final

import attrs


class SumsAs(Enum):
    """
    What is kept of all that players tell of a metric on a day.
    """

    REPORTS = "reports"
    """It is told by its name alone: how many reports had it."""
    NUMBERS = "numbers"
    """It is a whole number, from 0 on: how many told it, sum, least and greatest."""


class Aggregation(Enum):
    """
    How two values of a column become one; each is a function of SQL.
    """

    SUM = "sum"
    MIN = "min"
    MAX = "max"


@attrs.frozen(kw_only=True)
class PlaybackColumn:
    """
    A number that a sink keeps of a video's day.

    Attributes:
        aggregation: A sum is 0 at first; nobody told anything yet where the
            least and the greatest are None.
    """

    name: str
    aggregation: Aggregation


@attrs.frozen(kw_only=True)
class PlaybackMetric:
    """
    What is to be known of a metric, wherever it goes.

    Attributes:
        key: The field of PlaybackQuality, which names the columns; also in
            lines of the spool. Of lower-case letters, digits and ``_``.
        sums_as: What is kept of it.
        comes_from: The key of CMCD that tells it.
        told_as: The field of PlayerReport.
        answer_name: Begins the members of answers, in lower case.
        answer_unit: Ends those of numbers; empty if it has none.
    """

    key: str
    sums_as: SumsAs
    comes_from: str
    told_as: str
    answer_name: str
    answer_unit: str = ""

    @property
    def columns(self) -> tuple[PlaybackColumn, ...]:
        """
        What is kept of it, in the order of sinks.
        """
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
        told_as="has_starved",
        answer_name="rebuffering",
    ),
    PlaybackMetric(
        key="startups",
        sums_as=SumsAs.REPORTS,
        comes_from="su",
        told_as="is_startup",
        answer_name="startup",
    ),
    PlaybackMetric(
        key="throughput_kbps",
        sums_as=SumsAs.NUMBERS,
        comes_from="mtp",
        told_as="throughput_kbps",
        answer_name="throughput",
        answer_unit="Kbps",
    ),
    PlaybackMetric(
        key="buffer_ms",
        sums_as=SumsAs.NUMBERS,
        comes_from="bl",
        told_as="buffer_ms",
        answer_name="buffer",
        answer_unit="Ms",
    ),
    PlaybackMetric(
        key="bitrate_kbps",
        sums_as=SumsAs.NUMBERS,
        comes_from="br",
        told_as="bitrate_kbps",
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
    What a player tells of how playback goes, with one request.

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
    def of(cls, told: Mapping[str, int]) -> "PlayerReport":
        """
        Make a report of what was told, by the field that it is told as.

        Args:
            told: Of what is told by its name alone, 1 says that it was.
        """
        return cls(**told)  # type: ignore[arg-type]  # of fields

    def and_told(self, told: Mapping[str, int]) -> "PlayerReport":
        """
        Return a report of this and what else was told, likewise.
        """
        return attrs.evolve(self, **told)  # type: ignore[arg-type]  # as in of()

    def told(self, metric: PlaybackMetric) -> int | None:
        """
        Return what it tells of a metric; None if nothing.
        """
        value: int | None = getattr(self, metric.told_as)
        if metric.sums_as is SumsAs.NUMBERS:
            return value
        return 1 if value else None


@attrs.frozen(kw_only=True)
class Measured:
    """
    Numbers that were told, together.

    Attributes:
        count: How many.
        least: None if there are none; so is most.
    """

    count: int = 0
    total: int = 0
    least: int | None = None
    most: int | None = None

    @classmethod
    def of(cls, told: Iterable[int | None]) -> "Measured":
        """
        Take numbers together; None was not told.
        """
        values = [value for value in told if value is not None]
        if not values:
            return cls()
        return cls(
            count=len(values), total=sum(values), least=min(values), most=max(values)
        )

    @property
    def mean(self) -> float | None:
        """
        The arithmetic mean; None if there are none.
        """
        return self.total / self.count if self.count else None


@attrs.frozen(kw_only=True)
class PlaybackQuality:
    """
    What players told, together.

    Attributes:
        reports: Segments with which a player told anything.
        starved: Of them, those before which its buffer ran empty.
        startups: Of them, those that it needed at once.
    """

    reports: int
    starved: int
    startups: int
    throughput_kbps: Measured
    buffer_ms: Measured
    bitrate_kbps: Measured

    @classmethod
    def of(cls, told: Sequence[PlayerReport]) -> "PlaybackQuality":
        """
        Take reports together.
        """
        sums: dict[str, Any] = {}
        for metric in METRICS:
            values = [getattr(one, metric.told_as) for one in told]
            if metric.sums_as is SumsAs.REPORTS:
                sums[metric.key] = sum(values)
            else:
                sums[metric.key] = Measured.of(values)
        return cls(reports=len(told), **sums)

    @classmethod
    def from_columns(cls, values: Iterable[int | None]) -> "PlaybackQuality":
        """
        Return what the columns of a sink say.

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
        """
        Return what a sink keeps of it, in the order of ``COLUMNS``.
        """
        return (self.reports, *self._sums())

    def reports_of(self, metric: PlaybackMetric) -> int:
        """
        Return how many reports told a metric.
        """
        value = getattr(self, metric.key)
        return value.count if isinstance(value, Measured) else int(value)

    def measured(self, metric: PlaybackMetric) -> Measured:
        """
        Return what was told of a metric of numbers.
        """
        value: Measured = getattr(self, metric.key)
        return value

    def _sums(self) -> Iterator[int | None]:
        for metric in METRICS:
            if metric.sums_as is SumsAs.REPORTS:
                yield self.reports_of(metric)
            else:
                told = self.measured(metric)
                yield from (told.count, told.total, told.least, told.most)
