"""Pages of analytics: totals, days, resolutions, countries, embedding pages, playback quality."""

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, date
from typing import Final

import attrs
import falcon

from hvcore.clock import Clock
from hvcore.domain.access.tenants import Environment
from hvcore.domain.analytics.breakdown import BreakdownBy
from hvcore.domain.analytics.playback_metrics import METRICS
from hvcore.domain.analytics.playback_quality import sum_of
from hvcore.domain.analytics.video_counts import (
    VideoPageQuery,
    VideoSort,
    WatchedDay,
)
from hvcore.domain.limits import SEGMENT_S
from hvcore.errors import NotFoundError
from hvcore.services.analytics.by_environment import EnvironmentAnalytics
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.pages.analytics.ranges import (
    PERIODS_DAYS,
    ReportRange,
    presets_at,
    read_range,
)
from hvcore_dashboard.visits import organization_of

MOST_VIDEOS: Final = 20
"""The most videos that are shown; downloaded files have all."""
MOST_PLACES: Final = 10
"""The most countries or pages that are shown; downloaded files have all."""


class AnalyticsPageResource:
    """``GET …/analytics``: the analytics page; slower parts are loaded afterwards as fragments."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._analytics = desk.services.analytics
        self._watched = desk.services.watched_videos
        self._live = desk.services.live_analytics
        self._clock = desk.services.clock

    def on_get(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        here = organization_of(req)
        if here.env is None:
            self._desk.answers.page(req, resp, "analytics/no_environment.html", {})
            return
        today = today_of(self._clock)
        found = read_range(req, today)
        envs = found.environments(here)
        if found.complaint:
            resp.status = falcon.HTTP_400
        values = {
            "range": found,
            "periods": PERIODS_DAYS,
            "presets": presets_at(today),
            "live": self._live.of_environments(envs),
            **self._counts(found, envs, today),
        }
        self._desk.answers.page(req, resp, "analytics/page.html", values)

    def _counts(
        self, found: ReportRange, envs: Sequence[Environment], today: date
    ) -> Mapping[str, object]:
        watched = self._watched.daily(envs, found.days, is_filled=True)
        daily = [one.count for one in watched]
        period_days = found.days_until(today)
        classes = [count.by_class() for count in daily]
        return {
            "daily": daily,
            "watched": watched_days(watched),
            "classes": [sum(values) for values in zip(*classes, strict=True)],
            "segments": sum(count.segments for count in daily),
            "segment_s": SEGMENT_S,
            "heights": self._analytics.distribution(envs, found.days),
            "usage": self._analytics.usage(envs, period_days),
            "period_days": period_days,
            "amount": self._analytics.storage(envs),
        }


class AnalyticsFragmentResource:
    """``GET …/analytics/fragments/{fragment}``: a part that the analytics page loads afterwards."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._watched = desk.services.watched_videos
        self._live = desk.services.live_analytics
        self._reports = desk.services.environment_reports
        self._clock = desk.services.clock
        self._settings = desk.services.settings.analytics

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, fragment: str, **_path: str
    ) -> None:
        found = read_range(req, today_of(self._clock))
        envs = found.environments(organization_of(req))
        values: Mapping[str, object]
        if fragment == "viewers":
            values = {"live": self._live.of_environments(envs)}
        elif fragment == "videos":
            values = self._most_watched(req, found, envs)
        elif fragment == "places":
            values = self._places(found, envs)
        elif fragment == "quality":
            values = _quality(self._reports, found, envs)
        else:
            raise NotFoundError
        template = f"analytics/{fragment}.html"
        self._desk.answers.fragment(req, resp, template, {"range": found, **values})

    def _most_watched(
        self, req: falcon.Request, found: ReportRange, envs: Sequence[Environment]
    ) -> Mapping[str, object]:
        sorts = {sort.value: sort for sort in VideoSort}
        sort = sorts.get(req.get_param("sortBy") or "", VideoSort.VIEWS)
        query = VideoPageQuery(days=found.days, sort=sort, page_size=MOST_VIDEOS)
        counts, has_more = self._watched.page(envs, query)
        return {"counts": counts, "has_more": has_more, "sort": sort.value}

    def _places(
        self, found: ReportRange, envs: Sequence[Environment]
    ) -> Mapping[str, object]:
        return {
            "most": MOST_PLACES,
            "places": [
                _Places(
                    by=by,
                    is_on=is_on,
                    totals=self._reports.breakdown(envs, found.days, by).totals,
                )
                for by, is_on in (
                    (BreakdownBy.COUNTRY, bool(self._settings.country_header)),
                    (BreakdownBy.REFERRER, self._settings.referrers),
                )
            ],
        }


@attrs.frozen(kw_only=True)
class _Places:
    """
    Countries or pages, with their segments.

    Attributes:
        is_on: They are noted now.
        totals: The most segments first; None is where it is not known.
    """

    by: BreakdownBy
    is_on: bool
    totals: Sequence[tuple[str | None, int]]

    @property
    def segments(self) -> int:
        """The number of segments of all the places together."""
        return sum(segments for _, segments in self.totals)

    @property
    def is_known(self) -> bool:
        """Return whether a place of any segment is known."""
        return any(value is not None for value, _ in self.totals)


def _quality(
    reports: EnvironmentAnalytics, found: ReportRange, envs: Sequence[Environment]
) -> Mapping[str, object]:
    days = reports.playback_quality(envs, found.days)
    return {
        "days": days,
        "sums": None if days is None else sum_of(days),
        "metrics": METRICS,
    }


@attrs.frozen(kw_only=True)
class ShownDay:
    """A day with its views and watched time, as charts and tables show it."""

    day: date
    views: int
    watched_s: float


@attrs.frozen(kw_only=True)
class WatchedDays:
    """
    Views and watched time by day, and their totals.

    Attributes:
        days: The days, oldest first.
    """

    days: Sequence[ShownDay]
    views: int
    watched_s: float

    @property
    def most_views(self) -> int:
        """The number of views on the day with the most views; 0 without days."""
        return max((one.views for one in self.days), default=0)


def watched_days(found: Sequence[WatchedDay]) -> WatchedDays:
    """Return views and watched time by day with their totals, which are summed before rounding."""
    return WatchedDays(
        days=[
            ShownDay(
                day=one.count.day,
                views=_rounded(one.watched.views),
                watched_s=one.watched.watched_s,
            )
            for one in found
        ],
        views=_rounded(sum(one.watched.views for one in found)),
        watched_s=sum(one.watched.watched_s for one in found),
    )


def _rounded(views: float) -> int:
    return max(math.floor(views + 0.5), 0)


def today_of(clock: Clock) -> date:
    """Return the present UTC day of a clock."""
    return clock.now().astimezone(UTC).date()
