"""
The query parameters of analytics requests.

Source: the section "Analytics shapes" of the service's interface, which does not have
    ``format``, ``records``, ``date`` and the queries of playback quality and breakdown.
"""

from collections.abc import Iterable, Mapping
from datetime import date
from enum import Enum
from typing import Final

import attrs

from hvcore.domain.analytics.breakdown import BreakdownBy
from hvcore.domain.analytics.playback_sessions import SessionsBy
from hvcore.domain.analytics.segments import DateRange
from hvcore.domain.analytics.video_counts import VideoPageQuery, VideoSort
from hvcore.domain.limits import (
    DEFAULT_PAGE_SIZE,
    DEFAULT_PERIOD_DAYS,
    MAX_DAILY_RANGE_DAYS,
    MAX_PAGE_SIZE,
    MAX_PARTS_RANGE_DAYS,
    MAX_PERIOD_DAYS,
)
from hvcore.domain.videos.catalog import SortDir
from hvcore.errors import InvalidPageSizeError
from hvcore.wire.converter import LateFieldError, optional
from hvcore.wire.exports import ExportFormat
from hvcore.wire.formats import Day
from hvcore.wire.kinds import Flag, Integer, member_of, string
from hvcore.wire.schema import Schema

MAX_REPORT_PAGE: Final = 1_000
"""Whoever needs more than 100,000 records takes the file, which has all."""
FORMAT: Final = (
    "`csv` or `ndjson`: the records alone, as a table with a header row or as one JSON "
    "document a line. Without it, `Accept` decides."
)


class VideoRecords(Enum):
    """The two parts of the report of one video; an exported file holds one of them."""

    RESOLUTIONS = "resolutions"
    SUMMARY = "summary"


class QualityRecords(Enum):
    """Name the two parts of a report on playback quality, of which a file holds one."""

    REPORTS = "reports"
    SESSIONS = "sessions"


class RecordsBy(Enum):
    """The unit, beside each video, for which the report of videos has a record of its own: each day."""

    DAY = "day"


class LiveRecords(Enum):
    """The two parts of the report of current viewers; an exported file holds one of them."""

    VIEWERS = "viewers"
    MINUTES = "minutes"


@attrs.frozen(kw_only=True)
class OpenDay:
    """Kind of query parameter that is a day, ``YYYY-MM-DD``, or ``""`` for no day."""

    def from_json(self, value: object) -> date | None:
        """Return the day in a JSON string; None for ""."""
        return self.from_text(string(value))

    def from_text(self, text: str) -> date | None:
        """Return the day in a text; None for ""; refuse a day that no calendar has."""
        return Day().from_text(text) if text else None

    def schema(self) -> Schema:
        """Return the JSON Schema of a day or ``""``; without the format ``date``, which ``""`` does not have."""
        return {"type": "string", "pattern": "^(?:[0-9]{4}-[0-9]{2}-[0-9]{2})?$"}


def _format() -> ExportFormat | None:
    """
    Give the field of those that files are made of.

    Not part of a class that the others inherit: it comes after the documented
    fields, whose problems decide the answer.
    """
    return optional("format", member_of(ExportFormat), None, about=FORMAT)


@attrs.frozen(kw_only=True)
class _Days:
    """The days that a report covers."""

    first: date | None = optional("startDate", OpenDay(), None)
    last: date | None = optional("endDate", OpenDay(), None)

    def days(self) -> DateRange:
        """Return the days that were asked for."""
        return DateRange(first=self.first, last=self.last)


@attrs.frozen(kw_only=True)
class UsageParameters:
    """Declare the query parameters of the analytics report of usage, below ``/v1`` and ``/v1/api/{orgID}``."""

    period_days: int = optional(
        "periodDays", Integer(minimum=1, maximum=MAX_PERIOD_DAYS), DEFAULT_PERIOD_DAYS
    )
    form: ExportFormat | None = _format()


@attrs.frozen(kw_only=True)
class DailyParameters(_Days):
    """Declare the query parameters of the analytics report by day, below ``/v1`` and ``/v1/api/{orgID}``."""

    is_filled: bool = optional("fill", Flag(), default=False)
    form: ExportFormat | None = _format()


@attrs.frozen(kw_only=True)
class VideosParameters(_Days):
    """Declare the query parameters of the analytics report of views by video, below ``/v1`` and ``/v1/api/{orgID}``."""

    sort: VideoSort = optional(
        "sortBy", member_of(VideoSort), VideoSort.VIEWS, about="What to sort by."
    )
    direction: SortDir = optional(
        "sortDir", member_of(SortDir), SortDir.DESC, about="Rising or falling."
    )
    page: int | None = optional(
        "page",
        Integer(minimum=1, maximum=MAX_REPORT_PAGE),
        None,
        about="Number of the page, from 1. Without it and `pageSize`, a file has all records.",
    )
    page_size: int | None = optional(
        "pageSize",
        Integer(minimum=1, maximum=MAX_PAGE_SIZE),
        None,
        error=InvalidPageSizeError,
        about=f"Records on a page; {DEFAULT_PAGE_SIZE} if there is none.",
    )
    by: RecordsBy | None = optional(
        "by",
        member_of(RecordsBy),
        None,
        about="`day`: a record for each video and day, by day first.",
    )
    form: ExportFormat | None = _format()

    @property
    def is_paged(self) -> bool:
        """Whether the request asks for one page of the records, also in a file."""
        return self.page is not None or self.page_size is not None

    @property
    def page_query(self) -> VideoPageQuery:
        """The page, days and order that the request asks for, as the service takes them."""
        return VideoPageQuery(
            days=self.days(),
            by_day=self.by is RecordsBy.DAY,
            sort=self.sort,
            is_ascending=self.direction is SortDir.ASC,
            page=self.page or 1,
            page_size=self.page_size or DEFAULT_PAGE_SIZE,
        )


@attrs.frozen(kw_only=True)
class StorageParameters:
    """Declare the query parameters of the analytics report of stored videos, below ``/v1`` and ``/v1/api/{orgID}``."""

    form: ExportFormat | None = _format()


@attrs.frozen(kw_only=True)
class ResolutionParameters(_Days):
    """Declare the query parameters of the analytics report of segments by picture height, below ``/v1`` and ``/v1/api/{orgID}``."""

    form: ExportFormat | None = _format()


@attrs.frozen(kw_only=True)
class VideoParameters(_Days):
    """Declare the query parameters of the analytics report of one video, below ``/v1`` and ``/v1/api/{orgID}``."""

    form: ExportFormat | None = _format()
    records: VideoRecords = optional(
        "records",
        member_of(VideoRecords),
        VideoRecords.RESOLUTIONS,
        about="Whether a file holds the record of each height or the summary.",
    )


@attrs.frozen(kw_only=True)
class ExplainParameters:
    """Declare the query parameters of the explanation of a video's view count on a day, below ``/v1`` and ``/v1/api/{orgID}``."""

    day: date | None = optional(
        "date", OpenDay(), None, about="A UTC day; today if there is none."
    )
    form: ExportFormat | None = _format()


@attrs.frozen(kw_only=True)
class ViewersParameters:
    """Declare the query parameters of the analytics report of current viewers, below ``/v1`` and ``/v1/api/{orgID}``."""

    form: ExportFormat | None = _format()
    records: LiveRecords = optional(
        "records",
        member_of(LiveRecords),
        LiveRecords.VIEWERS,
        about="Whether a file holds the one record of now or those of minutes.",
    )


@attrs.frozen(kw_only=True)
class PlaybackQualityParameters(_Days):
    """Declare the query parameters of the analytics report of playback quality, below ``/v1`` and ``/v1/api/{orgID}``."""

    by: SessionsBy = optional(
        "by",
        member_of(SessionsBy),
        SessionsBy.DAY,
        about="Whether the sessions of a day are told apart by device or by country.",
    )
    form: ExportFormat | None = _format()
    records: QualityRecords = optional(
        "records",
        member_of(QualityRecords),
        QualityRecords.REPORTS,
        about="Whether a file holds the reports with segments or the sessions.",
    )


@attrs.frozen(kw_only=True)
class BreakdownParameters(_Days):
    """Declare the query parameters of the analytics report by country or referrer, below ``/v1`` and ``/v1/api/{orgID}``."""

    by: BreakdownBy = optional("by", member_of(BreakdownBy), BreakdownBy.COUNTRY)
    form: ExportFormat | None = _format()


def dates_in_order(given: Mapping[str, object]) -> Iterable[LateFieldError]:
    """Yield the problem of a range of days that ends before it begins."""
    first, last = given.get("startDate"), given.get("endDate")
    if isinstance(first, date) and isinstance(last, date) and first > last:
        yield LateFieldError(name="startDate", rule="must not be after endDate")


def daily_dates(given: Mapping[str, object]) -> Iterable[LateFieldError]:
    """Yield the problem of a range of days that ends before it begins, or is too long for one answer."""
    yield from dates_in_order(given)
    first, last = given.get("startDate"), given.get("endDate")
    if not isinstance(first, date) or not isinstance(last, date):
        return
    if (last - first).days > MAX_DAILY_RANGE_DAYS:
        rule = f"must be at most {MAX_DAILY_RANGE_DAYS} days before endDate"
        yield LateFieldError(name="startDate", rule=rule)


def quality_dates(given: Mapping[str, object]) -> Iterable[LateFieldError]:
    """Yield the problem of a range of days for a report of playback quality, which has fewer days by device or country."""
    yield from daily_dates(given)
    first, last, by = given.get("startDate"), given.get("endDate"), given.get("by")
    if not isinstance(first, date) or not isinstance(last, date):
        return
    if not isinstance(by, SessionsBy) or by is SessionsBy.DAY:
        return
    if MAX_PARTS_RANGE_DAYS < (last - first).days <= MAX_DAILY_RANGE_DAYS:
        rule = (
            f"must be at most {MAX_PARTS_RANGE_DAYS} days before endDate "
            f"with by={by.value}"
        )
        yield LateFieldError(name="startDate", rule=rule)
