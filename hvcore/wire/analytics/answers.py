"""
The JSON payloads of the API's analytics answers.

Source: the interface document, "Analytics shapes". Each moment has a companion member
``…Valid``; if that is false, the moment is ``""``.
"""

import math
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Final

from hvcore.domain.analytics.explained_day import ExplainedDay
from hvcore.domain.analytics.ignored import IgnoredReason
from hvcore.domain.analytics.live import VIEWER_WINDOW, LiveView
from hvcore.domain.analytics.segments import HeightCount
from hvcore.domain.analytics.usage import Usage, VideoAmount, VideoWatched
from hvcore.domain.analytics.video_counts import (
    NamedCount,
    VideoCount,
    VideoPageQuery,
    WatchedDay,
)
from hvcore.domain.limits import SEGMENT_S
from hvcore.domain.videos.video import Video
from hvcore.wire.analytics.schemas import PRESET_DURATIONS
from hvcore.wire.responses import Payload, timestamp

FORMULA: Final = (
    "estimatedViews = segmentsServed / (vidLengthSeconds / segmentSeconds), rounded"
)
IGNORED_BECAUSE: Final = {
    IgnoredReason.INIT: "An init segment describes the others and shows nothing.",
    IgnoredReason.AUDIO: "Sound is counted with the picture.",
    IgnoredReason.PLAYLIST: "A playlist or manifest is no segment.",
    IgnoredReason.OTHER_FILE: "Captions, previews and pictures are no segments.",
    IgnoredReason.HEAD: "HEAD sends no content.",
    IgnoredReason.NOT_MODIFIED: "The player had the segment already (304).",
    IgnoredReason.TOO_FEW_BYTES: (
        "At most half of the segment was sent: a short range, or the connection ended."
    ),
    IgnoredReason.LATER_RANGE: (
        "As counted by an earlier version: a part from a later byte on (206)."
    ),
    IgnoredReason.BROKEN_OFF: (
        "As counted by an earlier version: the connection ended before the last byte."
    ),
}
"""What the answer says about each reason."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def usage(records: Iterable[Usage]) -> Payload:
    """Return the JSON payload of environments' stored videos and served segments."""
    return {"usage": [_usage_record(record) for record in records]}


def daily(days: Iterable[WatchedDay]) -> Payload:
    """Return the JSON payload of the segments, views and watched time per day."""
    records = []
    for one in days:
        count, watched = one.count, one.watched
        hd, sd, ld = count.by_class()
        records.append(
            {
                "deliveryDate": count.day.isoformat(),
                "segmentsServed": hd + sd + ld,
                "uniqueVideosServed": count.videos,
                "hdSegments": hd,
                "sdSegments": sd,
                "ldSegments": ld,
                "estimatedViews": max(math.floor(watched.views + 0.5), 0),
                "watchedSeconds": max(_seconds(watched.watched_s), 0.0),
            }
        )
    return {"dailyUsage": records}


def watched_videos(
    counts: Iterable[NamedCount], query: VideoPageQuery, *, has_next: bool
) -> Payload:
    """Return the JSON payload of a page of the report of views and watched time by video."""
    return {
        "videos": video_records(counts),
        "pagination": {
            "page": query.page,
            "pageSize": query.page_size,
            "hasNext": has_next,
            "hasPrevious": query.page > 1,
        },
    }


def video_records(counts: Iterable[NamedCount]) -> list[Payload]:
    """Return the JSON records of views and watched time, one for each video, or for each video and day."""
    return [_video_record(one.count, one.name) for one in counts]


def _video_record(count: VideoCount, name: str) -> Payload:
    record: Payload = {
        "videoID": count.video_id,
        "videoName": name,
        # That of an erased video is empty.
        "videoNameValid": bool(name),
        "segments": count.segments,
        "estimatedViews": count.views,
        "watchedSeconds": _seconds(count.watched_s),
        **_moment("lastServed", count.last_at),
    }
    if count.day is not None:
        record["deliveryDate"] = count.day.isoformat()
    return record


def storage(amount: VideoAmount) -> Payload:
    """Return the JSON payload of the number of stored videos and their durations."""
    durations_s = amount.durations_s
    return {
        "storage": {
            "totalVideos": amount.videos,
            "totalDurationSeconds": _seconds(amount.duration_s),
            "avgVideoDuration": _seconds(amount.mean_duration_s),
            **{
                name: _seconds(durations_s[preset])
                for preset, name in PRESET_DURATIONS.items()
            },
        }
    }


def video_resolution(watched: VideoWatched) -> Payload:
    """Return the JSON payload of a video's served segments, in all and by picture height."""
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
    """Return the JSON payload of the segments served for each picture height."""
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


def explanation(explained: ExplainedDay) -> Payload:
    """Return the JSON payload that explains a video's view count on a day."""
    video, views = explained.video, explained.views
    length_s = _seconds(video.duration_s)
    by_reason = explained.ignored_by_reason()
    exact = explained.segments * SEGMENT_S / length_s if length_s else 0
    return {
        "explanation": {
            **_names(video),
            "assetId": video.id,
            "deliveryDate": explained.day.isoformat(),
            "acceptedRequests": explained.segments,
            "ignoredRequests": sum(by_reason.values()),
            "ignoredRequestsValid": explained.ignored is not None,
            "segmentsServed": explained.segments,
            "vidLengthSeconds": length_s,
            "segmentSeconds": SEGMENT_S,
            "segmentsPerView": _seconds(explained.segments_per_view),
            "estimatedViews": views,
            "formula": FORMULA,
            "calculation": (
                f"{explained.segments} / ({length_s:g} / {SEGMENT_S}) = {exact:.3f}, "
                f"rounded {views}"
                if length_s
                else "no duration, no views"
            ),
        },
        "resolutions": _explained_heights(explained),
        "ignored": [
            {
                "reason": reason.value,
                "meaning": IGNORED_BECAUSE[reason],
                "requests": requests,
            }
            for reason, requests in by_reason.items()
        ],
    }


def viewers(live: LiveView) -> Payload:
    """Return the JSON payload of the current viewers."""
    return {
        "viewers": {
            "currentViewers": live.viewers or 0,
            "currentViewersValid": live.viewers is not None and not live.has_more,
            "windowSeconds": int(VIEWER_WINDOW.total_seconds()),
            "asOf": timestamp(live.as_of),
            "minutesValid": live.minutes is not None,
        },
        "minutes": [
            {
                "minute": timestamp(_EPOCH + timedelta(minutes=one.minute)),
                "segmentsServed": one.segments,
            }
            for one in live.minutes or ()
        ],
    }


def _explained_heights(explained: ExplainedDay) -> list[Payload]:
    counted = {count.height_px: count for count in explained.heights}
    records: list[Payload] = []
    for height_px in explained.heights_px:
        count = counted.get(height_px)
        by_reason = explained.ignored_by_reason(height_px)
        records.append(
            {
                "resolutionHeight": height_px,
                "acceptedRequests": count.segments if count else 0,
                "ignoredRequests": sum(by_reason.values()),
                "ignoredByReason": [
                    {"reason": reason.value, "requests": requests}
                    for reason, requests in by_reason.items()
                    if requests
                ],
                **_moment("firstServed", count.first_at if count else None),
                **_moment("lastServed", count.last_at if count else None),
            }
        )
    return records


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
        # A deleted video's is empty.
        "vidNameValid": bool(video.name),
    }


def _moment(name: str, moment: datetime | None) -> Payload:
    return {
        name: "" if moment is None else timestamp(moment),
        f"{name}Valid": moment is not None,
    }


def _seconds(duration_s: float) -> float:
    return round(float(duration_s), 3)
