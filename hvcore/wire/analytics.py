"""
Analytics: the documented answers.

Source: interface, "Analytics shapes". A moment has a companion ``…Valid``,
and is ``""`` where that is false.
"""

from collections.abc import Iterable
from datetime import datetime

from hvcore.domain.analytics import DayCount, HeightClass, HeightCount
from hvcore.domain.encoding import Preset
from hvcore.domain.usage import Usage, VideoAmount, VideoWatched
from hvcore.domain.video import Video
from hvcore.wire.responses import Payload, timestamp


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
