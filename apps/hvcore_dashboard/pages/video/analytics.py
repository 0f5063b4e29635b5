"""The analytics tab of a video, with the same reports as in the API."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Final

import attrs
import falcon

from hvcore.domain.analytics.breakdown import BreakdownBy
from hvcore.domain.analytics.playback_quality import PlaybackQualityDay
from hvcore.domain.analytics.segments import ALL_TIME, DateRange, daily_range
from hvcore.domain.analytics.video_counts import watched_s
from hvcore.domain.videos.video import Video
from hvcore.errors import HvError, InvalidParametersError
from hvcore.wire.analytics import answers as wire
from hvcore.wire.analytics import tables
from hvcore.wire.analytics.query import PlaybackQualityParameters, daily_dates
from hvcore.wire.converter import read_query
from hvcore.wire.exports import renamed
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.forms import Form
from hvcore_dashboard.pages.analytics.files import form_of
from hvcore_dashboard.pages.analytics.ranges import (
    PERIODS_DAYS,
    RangePreset,
    presets_at,
)
from hvcore_dashboard.pages.analytics.resources import today_of, watched_days
from hvcore_dashboard.pages.video.tabs import VideoTabs
from hvcore_dashboard.visits import OrganizationVisit, organization_of
from hvcore_web.record_files import send_records

TAB: Final = "analytics"
MOST_VALUES: Final = 10
"""The most countries or pages in a list; the API has all."""


@attrs.frozen(kw_only=True)
class ServedTo:
    """
    The number of a video's segments that went to one country or one embedding page.

    Attributes:
        value: The country, or the page's host; None where it is unknown.
    """

    value: str | None
    segments: int


class VideoAnalyticsTabResource:
    """``GET …/videos/{video}/analytics``: the analytics tab of a video."""

    def __init__(self, desk: Desk) -> None:
        self._tabs = VideoTabs.of(desk)
        self._analytics = desk.services.analytics
        self._watched = desk.services.watched_videos
        self._clock = desk.services.clock
        self._reports = desk.services.video_reports

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        here, video = organization_of(req), self._tabs.arrived(req, video_id)
        form, days = _asked(req)
        watched = self._analytics.watched(here.caller, here.org_id, video.id, days)
        shown = daily_range(days, today_of(self._clock))
        _, days_of_video = self._watched.video_daily(
            here.caller, here.org_id, video.id, shown, is_filled=True
        )
        quality = self._reports.playback_quality(
            here.caller, here.org_id, video.id, days
        )
        values = {
            "form": form,
            "is_all_time": days == ALL_TIME,
            "watched_in_all_s": watched_s(watched.totals.segments, video.duration_s),
            "view_count": self._analytics.views([video])[video.id],
            "watched": watched,
            "views": watched_days(days_of_video),
            "presets": _presets(today_of(self._clock)),
            "days": shown,
            "quality_days": quality.days,
            "quality": None if quality.days is None else _summed(quality.days),
            "origins": self._origins(here, video, days),
        }
        self._tabs.show(req, resp, video, TAB, values)

    def _origins(
        self, here: OrganizationVisit, video: Video, days: DateRange
    ) -> Mapping[str, Sequence[ServedTo]]:
        """Return countries and pages, the most served first; nothing if nobody keeps them."""
        found: dict[str, Sequence[ServedTo]] = {}
        for by in BreakdownBy:
            report = self._reports.breakdown(
                here.caller, here.org_id, video.id, days, by
            )
            if not report.is_stored:
                continue
            counts: Counter[str | None] = Counter()
            for row in report.rows:
                counts[row.value] += row.segments
            found[by.value] = [
                ServedTo(value=value, segments=segments)
                for value, segments in counts.most_common(MOST_VALUES)
            ]
        return found


class VideoAnalyticsFileResource:
    """``GET …/videos/{video}/analytics/file``: a video's views by day as CSV or NDJSON."""

    def __init__(self, desk: Desk) -> None:
        self._tabs = VideoTabs.of(desk)
        self._watched = desk.services.watched_videos
        self._clock = desk.services.clock

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        here, video = organization_of(req), self._tabs.arrived(req, video_id)
        form = form_of(req)
        given, days = _asked(req)
        if given.errors:
            raise InvalidParametersError(" ".join(given.errors.values()))
        days = daily_range(days, today_of(self._clock))
        _, found = self._watched.video_daily(
            here.caller, here.org_id, video.id, days, is_filled=True
        )
        env = next(
            (env.name for env in here.environments if env.id == video.env_id), "none"
        )
        ends = "-".join(str(day) for day in (days.first, days.last) if day)
        table = renamed(tables.DAILY, f"daily-{video.id}-{env}-{ends}")
        send_records(resp, wire.daily(found), table=table, form=form)


class VideoViewersFragmentResource:
    """``GET …/videos/{video}/viewers``: the number of people who watch the video at this moment."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._tabs = VideoTabs.of(desk)
        self._live = desk.services.live_analytics

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        here, video = organization_of(req), self._tabs.arrived(req, video_id)
        live = self._live.of_video(here.caller, here.org_id, video.id)
        values = {"video": video, "live": live}
        self._answers.fragment(req, resp, "video/viewers.html", values)


def _presets(today: date) -> Sequence[RangePreset]:
    periods = [
        RangePreset(
            title=f"{days} days", first=today - timedelta(days=days - 1), last=today
        )
        for days in PERIODS_DAYS
    ]
    return [*periods, *presets_at(today)]


def _asked(req: falcon.Request) -> tuple[Form, DateRange]:
    names = ("startDate", "endDate")
    given = {name: value for name in names if (value := req.get_param(name))}
    form = Form(fields={name: [value] for name, value in given.items()})
    try:
        asked = read_query(PlaybackQualityParameters, given, daily_dates)
    except HvError as error:
        # An address by hand: everything, and what was wrong.
        return form.refused(error), ALL_TIME
    return form, asked.days()


def _summed(days: Sequence[PlaybackQualityDay]) -> Mapping[str, float | None]:
    """Return means over all days, each weighed by its reports."""
    reports = sum(day.quality.reports for day in days)
    starved = sum(day.quality.starved for day in days)
    found: dict[str, float | None] = {
        "reports": reports,
        "starved": starved,
        "starved_share": starved / reports if reports else None,
    }
    for name in ("throughput_kbps", "buffer_ms", "bitrate_kbps"):
        sums = [getattr(day.quality, name) for day in days]
        count = sum(one.count for one in sums)
        found[name] = sum(one.total for one in sums) / count if count else None
    return found
