"""
Analytics: the documented queries.

Source: interface, "Analytics shapes"; ``format`` and ``records`` are ours.
"""

from collections.abc import Iterable, Mapping
from datetime import date
from enum import Enum
from typing import Final

import attrs

from hvcore.domain.analytics import DateRange
from hvcore.domain.limits import (
    DEFAULT_PERIOD_DAYS,
    MAX_DAILY_RANGE_DAYS,
    MAX_PERIOD_DAYS,
)
from hvcore.wire.converter import Refusal, optional
from hvcore.wire.exports import ExportFormat
from hvcore.wire.formats import Day
from hvcore.wire.kinds import Flag, Integer, member_of, string
from hvcore.wire.schema import Schema

FORMAT: Final = (
    "`csv` or `ndjson`: the records alone, as a table with a header row or as one JSON "
    "document a line. Without it, `Accept` decides."
)


class VideoRecords(Enum):
    """
    Of the two parts of a video's report, which one a file holds.
    """

    RESOLUTIONS = "resolutions"
    SUMMARY = "summary"


@attrs.frozen(kw_only=True)
class OpenDay:
    """
    A day, ``YYYY-MM-DD``; an empty text is none.
    """

    def from_json(self, value: object) -> date | None:
        """
        Read a JSON string.
        """
        return self.from_text(string(value))

    def from_text(self, text: str) -> date | None:
        """
        Read a day that the calendar has, or nothing.
        """
        return Day().from_text(text) if text else None

    def schema(self) -> Schema:
        """
        Return the format.
        """
        return {"anyOf": [Day().schema(), {"type": "string", "maxLength": 0}]}


@attrs.frozen(kw_only=True)
class UsageParameters:
    """
    Both families, usage.
    """

    period_days: int = optional(
        "periodDays", Integer(minimum=1, maximum=MAX_PERIOD_DAYS), DEFAULT_PERIOD_DAYS
    )
    form: ExportFormat | None = optional(
        "format", member_of(ExportFormat), None, about=FORMAT
    )


@attrs.frozen(kw_only=True)
class DailyParameters:
    """
    Both families, daily.
    """

    first: date | None = optional("startDate", OpenDay(), None)
    last: date | None = optional("endDate", OpenDay(), None)
    is_filled: bool = optional("fill", Flag(), default=False)
    form: ExportFormat | None = optional(
        "format", member_of(ExportFormat), None, about=FORMAT
    )

    def days(self) -> DateRange:
        """
        Return the days that were asked for.
        """
        return DateRange(first=self.first, last=self.last)


@attrs.frozen(kw_only=True)
class StorageParameters:
    """
    Both families, storage.
    """

    form: ExportFormat | None = optional(
        "format", member_of(ExportFormat), None, about=FORMAT
    )


@attrs.frozen(kw_only=True)
class ResolutionParameters:
    """
    Both families, resolution distribution.
    """

    first: date | None = optional("startDate", OpenDay(), None)
    last: date | None = optional("endDate", OpenDay(), None)
    form: ExportFormat | None = optional(
        "format", member_of(ExportFormat), None, about=FORMAT
    )

    def days(self) -> DateRange:
        """
        Return the days that were asked for.
        """
        return DateRange(first=self.first, last=self.last)


@attrs.frozen(kw_only=True)
class VideoParameters:
    """
    Both families, video resolution.
    """

    first: date | None = optional("startDate", OpenDay(), None)
    last: date | None = optional("endDate", OpenDay(), None)
    form: ExportFormat | None = optional(
        "format", member_of(ExportFormat), None, about=FORMAT
    )
    records: VideoRecords = optional(
        "records",
        member_of(VideoRecords),
        VideoRecords.RESOLUTIONS,
        about="Of a file: whether it holds the record of each height or the summary.",
    )

    def days(self) -> DateRange:
        """
        Return the days that were asked for.
        """
        return DateRange(first=self.first, last=self.last)


def dates_in_order(given: Mapping[str, object]) -> Iterable[Refusal]:
    """
    Refuse a range of days that ends before it begins.
    """
    first, last = given.get("startDate"), given.get("endDate")
    if isinstance(first, date) and isinstance(last, date) and first > last:
        yield Refusal(name="startDate", rule="must not be after endDate")


def daily_dates(given: Mapping[str, object]) -> Iterable[Refusal]:
    """
    Refuse a range that is upside down, or too long for one answer.
    """
    yield from dates_in_order(given)
    first, last = given.get("startDate"), given.get("endDate")
    if not isinstance(first, date) or not isinstance(last, date):
        return
    if (last - first).days > MAX_DAILY_RANGE_DAYS:
        rule = f"must be at most {MAX_DAILY_RANGE_DAYS} days before endDate"
        yield Refusal(name="startDate", rule=rule)
