"""The days and environments that an analytics page covers."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Final

import attrs
import falcon

from hvcore.domain.access.tenants import Environment
from hvcore.domain.analytics.segments import DateRange
from hvcore.domain.limits import MAX_PERIOD_DAYS
from hvcore.errors import HvError
from hvcore.wire.analytics.query import DailyParameters, daily_dates
from hvcore.wire.converter import read_query
from hvcore_dashboard.visits import OrganizationVisit

PERIODS_DAYS: Final = (7, 30, 90, 365)
DEFAULT_DAYS: Final = 30
WHOLE_ORGANIZATION: Final = "organization"


@attrs.frozen(kw_only=True)
class RangePreset:
    """A named range of days that people often ask for, such as the last month."""

    title: str
    first: date
    last: date


def presets_at(today: date) -> Sequence[RangePreset]:
    """Return the month of ``today``, the month before it, and the last quarter that has ended."""
    month = today.replace(day=1)
    quarter = month.replace(month=month.month - (month.month - 1) % 3)
    last_month, last_quarter = _months_before(month, 1), _months_before(quarter, 3)
    return (
        RangePreset(
            title="This month", first=month, last=_before(_months_before(month, -1), 1)
        ),
        RangePreset(title="Last month", first=last_month, last=_before(month, 1)),
        RangePreset(title="Last quarter", first=last_quarter, last=_before(quarter, 1)),
    )


@attrs.frozen(kw_only=True)
class ReportRange:
    """
    The days and environments that an analytics page covers.

    Attributes:
        first: The first UTC day; both first and last are included.
        period_days: The number of days, if the range is one of PERIODS_DAYS and ends
            today; else None.
        is_of_all: Whether the page covers every environment of the organization.
        complaint: The error in the dates of the query; "" if there is none.
    """

    first: date
    last: date
    period_days: int | None
    is_of_all: bool
    complaint: str = ""

    @property
    def days(self) -> DateRange:
        """The first and last day, in the form that services take."""
        return DateRange(first=self.first, last=self.last)

    @property
    def sent(self) -> Mapping[str, object]:
        """The query parameters for links to pages with the same range."""
        covers = WHOLE_ORGANIZATION if self.is_of_all else None
        if self.period_days is not None:
            return {"days": self.period_days, "covers": covers}
        return {
            "startDate": self.first.isoformat(),
            "endDate": self.last.isoformat(),
            "covers": covers,
        }

    def file_name(self, report: str, env: str) -> str:
        """Return the file name of a downloaded report, made of its name, environment and days."""
        covers = "all" if self.is_of_all else env
        return f"{report}-{covers}-{self.first}-{self.last}"

    def days_until(self, today: date) -> int:
        """Return the number of days from the first day to today, at most as many as a report may cover."""
        return min(max((today - self.first).days + 1, 1), MAX_PERIOD_DAYS)

    def environments(self, here: OrganizationVisit) -> Sequence[Environment]:
        """Return the environments that the page covers."""
        if self.is_of_all:
            return here.environments
        return [here.env] if here.env is not None else []


def read_range(req: falcon.Request, today: date) -> ReportRange:
    """Return the range in the query; the last 30 days, with a complaint, if it cannot be read."""
    is_of_all = req.get_param("covers") == WHOLE_ORGANIZATION
    names = ("startDate", "endDate")
    given = {name: text for name in names if (text := req.get_param(name))}
    if not given:
        wanted = req.get_param("days") or ""
        known = {str(days): days for days in PERIODS_DAYS}
        return _last_days(known.get(wanted, DEFAULT_DAYS), today, is_of_all=is_of_all)
    try:
        asked = read_query(DailyParameters, given, daily_dates)
    except HvError as error:
        found = _last_days(DEFAULT_DAYS, today, is_of_all=is_of_all)
        return attrs.evolve(found, complaint=error.detail)
    last = asked.last or max(today, asked.first or today)
    first = asked.first or _before(last, DEFAULT_DAYS - 1)
    # An open side must not make a page of ten years.
    first = max(first, _before(last, MAX_PERIOD_DAYS))
    return ReportRange(first=first, last=last, period_days=None, is_of_all=is_of_all)


def _last_days(days: int, today: date, *, is_of_all: bool) -> ReportRange:
    return ReportRange(
        first=today - timedelta(days=days - 1),
        last=today,
        period_days=days,
        is_of_all=is_of_all,
    )


def _before(day: date, days: int) -> date:
    return date.fromordinal(max(day.toordinal() - days, 1))


def _months_before(month: date, count: int) -> date:
    months = month.year * 12 + month.month - 1 - count
    return date(months // 12, months % 12 + 1, 1)
