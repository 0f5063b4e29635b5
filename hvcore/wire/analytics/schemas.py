"""
The JSON Schemas of the answers of :mod:`hvcore.wire.analytics.answers`.

Source: the interface document, "Analytics shapes".
"""

from typing import Final

from hvcore.domain.analytics.ignored import IgnoredReason
from hvcore.domain.processing.encoding import Preset
from hvcore.wire.schema import (
    BOOLEAN,
    COUNT,
    DAY,
    NUMBER,
    STRING,
    TIMESTAMP,
    Schema,
    array,
    identifier,
    record,
    words_of,
)

SECONDS: Final[Schema] = {**NUMBER, "minimum": 0}
MOMENT: Final[Schema] = {
    "type": "string",
    "pattern": r"^(?:[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{3}Z)?$",
    "examples": ["2026-01-02T03:04:05.678Z"],
}
"""A timestamp, or an empty text: without a format, for no program could read that."""

PRESET_DURATIONS: Final = {
    preset: f"{preset.value}QualityDuration" for preset in reversed(Preset)
}
"""The field with the duration of a preset's videos."""


def _moment(name: str) -> dict[str, Schema]:
    return {name: MOMENT, f"{name}Valid": BOOLEAN}


_NAMES: Final[dict[str, Schema]] = {
    "vidId": identifier("vid_"),
    "vidPublicId": identifier("pubvid_"),
    "vidName": STRING,
    "vidNameValid": BOOLEAN,
}

USAGE: Final = record(
    "UsageReport",
    {
        "usage": array(
            record(
                "EnvironmentUsage",
                {
                    "idpOrgId": STRING,
                    "envId": STRING,
                    "totalVideos": COUNT,
                    "totalVideoDurationSeconds": SECONDS,
                    "totalSegmentsServed": COUNT,
                    "videosUploadedInPeriod": COUNT,
                    "segmentsServedInPeriod": COUNT,
                    **_moment("firstVideoUploaded"),
                    **_moment("lastSegmentServed"),
                },
            )
        )
    },
)
DAILY: Final = record(
    "DailyUsageReport",
    {
        "dailyUsage": array(
            record(
                "UsageOfDay",
                {
                    "deliveryDate": DAY,
                    "segmentsServed": COUNT,
                    "uniqueVideosServed": COUNT,
                    "hdSegments": COUNT,
                    "sdSegments": COUNT,
                    "ldSegments": COUNT,
                    "estimatedViews": COUNT,
                    "watchedSeconds": SECONDS,
                },
            )
        )
    },
)
_WATCHED: Final[dict[str, Schema]] = {
    "videoID": identifier("vid_"),
    "videoName": STRING,
    "videoNameValid": BOOLEAN,
    "segments": COUNT,
    "estimatedViews": COUNT,
    "watchedSeconds": SECONDS,
    **_moment("lastServed"),
}
WATCHED_VIDEOS: Final = record(
    "WatchedVideosReport",
    {
        "videos": array(record("WatchedVideo", _WATCHED, {"deliveryDate": DAY})),
        "pagination": record(
            "ReportPagination",
            {
                "page": COUNT,
                "pageSize": COUNT,
                "hasNext": BOOLEAN,
                "hasPrevious": BOOLEAN,
            },
        ),
    },
)
STORAGE: Final = record(
    "StorageReport",
    {
        "storage": record(
            "StoredVideos",
            {
                "totalVideos": COUNT,
                "totalDurationSeconds": SECONDS,
                "avgVideoDuration": SECONDS,
                **dict.fromkeys(PRESET_DURATIONS.values(), SECONDS),
            },
        )
    },
)
VIDEO_RESOLUTION: Final = record(
    "VideoResolutionReport",
    {
        "summary": record(
            "VideoResolutionSummary",
            {
                **_NAMES,
                "assetId": identifier("vid_"),
                "vidLengthSeconds": SECONDS,
                "availableResolutions": COUNT,
                "totalSegmentsServed": COUNT,
                "totalDaysServed": COUNT,
                **_moment("firstServed"),
                **_moment("lastServed"),
                "mostPopularResolution": COUNT,
                "mostPopularResolutionValid": BOOLEAN,
            },
        ),
        "resolutions": array(
            record(
                "VideoResolution",
                {
                    **_NAMES,
                    "resolutionHeight": COUNT,
                    "timesServed": COUNT,
                    "daysServed": COUNT,
                    **_moment("firstServed"),
                    **_moment("lastServed"),
                },
            )
        ),
    },
)
DISTRIBUTION: Final = record(
    "ResolutionDistributionReport",
    {
        "distribution": array(
            record(
                "ServedResolution",
                {
                    "resolutionHeight": COUNT,
                    "segmentsServed": COUNT,
                    "uniqueVideos": COUNT,
                    "daysActive": COUNT,
                    **_moment("firstServed"),
                    **_moment("lastServed"),
                },
            )
        )
    },
)

_REASON: Final = words_of(IgnoredReason)
EXPLANATION: Final = record(
    "CountExplanationReport",
    {
        "explanation": record(
            "ExplainedDay",
            {
                **_NAMES,
                "assetId": identifier("vid_"),
                "deliveryDate": DAY,
                "acceptedRequests": COUNT,
                "ignoredRequests": COUNT,
                "ignoredRequestsValid": BOOLEAN,
                "segmentsServed": COUNT,
                "vidLengthSeconds": SECONDS,
                "segmentSeconds": COUNT,
                "segmentsPerView": SECONDS,
                "estimatedViews": COUNT,
                "formula": STRING,
                "calculation": STRING,
            },
        ),
        "resolutions": array(
            record(
                "ExplainedResolution",
                {
                    "resolutionHeight": COUNT,
                    "acceptedRequests": COUNT,
                    "ignoredRequests": COUNT,
                    "ignoredByReason": array(
                        record(
                            "IgnoredRequests", {"reason": _REASON, "requests": COUNT}
                        )
                    ),
                    **_moment("firstServed"),
                    **_moment("lastServed"),
                },
            )
        ),
        "ignored": array(
            record(
                "ExplainedReason",
                {"reason": _REASON, "meaning": STRING, "requests": COUNT},
            )
        ),
    },
)
VIEWERS: Final = record(
    "ViewersReport",
    {
        "viewers": record(
            "CurrentViewers",
            {
                "currentViewers": COUNT,
                "currentViewersValid": BOOLEAN,
                "windowSeconds": COUNT,
                "asOf": TIMESTAMP,
                "minutesValid": BOOLEAN,
            },
        ),
        "minutes": array(
            record("ServedMinute", {"minute": TIMESTAMP, "segmentsServed": COUNT})
        ),
    },
)
