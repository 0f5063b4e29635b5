"""Split a range of days into whole months and the days outside of them."""

from datetime import date, timedelta
from typing import Final

import attrs
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.plugin_api import DateRange, EnvironmentScope
from hvcore_analytics_sql.months import month_of, read_until_ms
from hvcore_analytics_sql.scopes import within
from hvcore_analytics_sql.tables import environment_days

_ONE_DAY: Final = timedelta(days=1)


@attrs.frozen(kw_only=True)
class Parts:
    """
    Split a range of days into whole months and the days that are left.

    Attributes:
        months: The first and the last whole month; None if there is none.
        days: The ranges of days outside of them, of at most two months.
        are_months_counted: Whether video_months has all videos; until then the days
            are the whole range.
    """

    months: tuple[date, date] | None
    days: tuple[DateRange, ...]
    are_months_counted: bool = True

    @property
    def month(self) -> date | None:
        """The month that has all deliveries of the range and no others; None if there is none."""
        if self.months is None or self.days or self.months[0] != self.months[1]:
            return None
        return self.months[0]


def parts_of(connection: Connection, scope: EnvironmentScope, days: DateRange) -> Parts:
    """Split a range of days; a month counts as whole, too, if its days outside of the range have no deliveries."""
    if read_until_ms(connection) is None:
        return Parts(months=None, days=(days,), are_months_counted=False)
    first, last = days.first or date.min, days.last or date.max
    first_month, last_month = month_of(first), month_of(last)
    outside: list[DateRange] = []
    before = DateRange(first=first_month, last=_day_before(first))
    if first > first_month and _is_served(connection, scope, before):
        first_month = _next_month(first)
        outside.append(
            DateRange(first=first, last=min(last, _last_day_of_month(first)))
        )
    behind = DateRange(first=_day_after(last), last=_last_day_of_month(last))
    if last < _last_day_of_month(last) and _is_served(connection, scope, behind):
        if last_month >= first_month:
            outside.append(DateRange(first=max(first, last_month), last=last))
        last_month = month_of(_day_before(last_month))
    if first > last or first_month > last_month:
        return Parts(months=None, days=tuple(outside) or (days,))
    return Parts(months=(first_month, last_month), days=tuple(outside))


def _is_served(
    connection: Connection, scope: EnvironmentScope, days: DateRange
) -> bool:
    found = sa.select(sa.literal(1)).where(*within(environment_days, scope, days))
    return connection.execute(found.limit(1)).first() is not None


def _last_day_of_month(day: date) -> date:
    following = _next_month(day)
    return date.max if following == date.max else following - _ONE_DAY


def _next_month(day: date) -> date:
    if (day.year, day.month) == (date.max.year, date.max.month):
        return date.max
    return (day.replace(day=28) + timedelta(days=4)).replace(day=1)


def _day_before(day: date) -> date:
    return day if day == date.min else day - _ONE_DAY


def _day_after(day: date) -> date:
    return day if day == date.max else day + _ONE_DAY
