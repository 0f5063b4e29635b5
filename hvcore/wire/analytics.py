"""
Analytics: the documented queries and answers.

Source: interface, "Analytics shapes". A moment has a companion ``…Valid``,
and is ``""`` where that is false.
"""

from collections.abc import Iterable, Mapping
from datetime import date, datetime

import attrs

from hvcore.domain.analytics import DateRange, DayCount, HeightClass, HeightCount
from hvcore.domain.encoding import Preset
from hvcore.domain.limits import (
    DEFAULT_PERIOD_DAYS,
    MAX_DAILY_RANGE_DAYS,
    MAX_PERIOD_DAYS,
)
from hvcore.domain.usage import Usage, VideoAmount, VideoWatched
from hvcore.domain.video import Video
from hvcore.wire.converter import Refusal, optional
from hvcore.wire.formats import Day
from hvcore.wire.kinds import Flag, Integer, string
from hvcore.wire.responses import Payload, timestamp
from hvcore.wire.schema import Schema


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


@attrs.frozen(kw_only=True)
class DailyParameters:
    """
    Both families, daily.
    """

    first: date | None = optional("startDate", OpenDay(), None)
    last: date | None = optional("endDate", OpenDay(), None)
    is_filled: bool = optional("fill", Flag(), default=False)

    def days(self) -> DateRange:
        """
        Return the days that were asked for.
        """
        return DateRange(first=self.first, last=self.last)


@attrs.frozen(kw_only=True)
class ResolutionParameters:
    """
    Both families, video resolution and resolution distribution.
    """

    first: date | None = optional("startDate", OpenDay(), None)
    last: date | None = optional("endDate", OpenDay(), None)

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


def usage(records: Iterable[Usage]) -> Payload:
    """
    Render what environments hold and what was served of them.
    """
    return {"usage": [_usage_record(record) for record in records]}


def daily(counts: Iterable[DayCount]) -> Payload:
    """
    Render what was served on each day.
    """
    return {
        "dailyUsage": [
            {
                "deliveryDate": count.day.isoformat(),
                "segmentsServed": count.segments,
                "uniqueVideosServed": count.videos,
                "hdSegments": count.of_class(HeightClass.HD),
                "sdSegments": count.of_class(HeightClass.SD),
                "ldSegments": count.of_class(HeightClass.LD),
            }
            for count in counts
        ]
    }


def storage(amount: VideoAmount) -> Payload:
    """
    Render how much is stored.
    """
    durations_s = amount.durations_s
    return {
        "storage": {
            "totalVideos": amount.videos,
            "totalDurationSeconds": _seconds(amount.duration_s),
            "avgVideoDuration": _seconds(amount.mean_duration_s),
            "ultraQualityDuration": _seconds(durations_s[Preset.ULTRA]),
            "highQualityDuration": _seconds(durations_s[Preset.HIGH]),
            "standardQualityDuration": _seconds(durations_s[Preset.STANDARD]),
        }
    }


def video_resolution(watched: VideoWatched) -> Payload:
    """
    Render what was served of a video, in all and by height.
    """
    video, totals = watched.video, watched.totals
    popular = watched.most_popular_px
    summary: Payload = {
        **_names(video),
        "assetId": video.id,
        "vidLengthSeconds": _seconds(video.duration_s),
        "availableResolutions": len(video.rungs),
        "totalSegmentsServed": totals.segments,
        "totalDaysServed": totals.days,
        **_moment("firstServed", totals.first_at),
        **_moment("lastServed", totals.last_at),
        "mostPopularResolution": popular or 0,
        "mostPopularResolutionValid": popular is not None,
    }
    return {
        "summary": summary,
        "resolutions": [
            {
                **_names(video),
                "resolutionHeight": count.height_px,
                "timesServed": count.segments,
                "daysServed": count.days,
                **_moment("firstServed", count.first_at),
                **_moment("lastServed", count.last_at),
            }
            for count in watched.heights
        ],
    }


def distribution(counts: Iterable[HeightCount]) -> Payload:
    """
    Render what was served of each height.
    """
    return {
        "distribution": [
            {
                "resolutionHeight": count.height_px,
                "segmentsServed": count.segments,
                "uniqueVideos": count.videos,
                "daysActive": count.days,
                **_moment("firstServed", count.first_at),
                **_moment("lastServed", count.last_at),
            }
            for count in counts
        ]
    }


def _usage_record(record: Usage) -> Payload:
    return {
        "idpOrgId": record.env.org_id,
        "envId": record.env.name,
        "totalVideos": record.amount.videos,
        "totalVideoDurationSeconds": _seconds(record.amount.duration_s),
        "totalSegmentsServed": record.served.segments,
        "videosUploadedInPeriod": record.uploads.since,
        "segmentsServedInPeriod": record.served.segments_since,
        **_moment("firstVideoUploaded", record.uploads.first_at),
        **_moment("lastSegmentServed", record.served.last_at),
    }


def _names(video: Video) -> Payload:
    return {
        "vidId": video.id,
        "vidPublicId": video.public_id,
        "vidName": video.name,
        "vidNameValid": True,
    }


def _moment(name: str, moment: datetime | None) -> Payload:
    return {
        name: "" if moment is None else timestamp(moment),
        f"{name}Valid": moment is not None,
    }


def _seconds(duration_s: float) -> float:
    return round(float(duration_s), 3)
