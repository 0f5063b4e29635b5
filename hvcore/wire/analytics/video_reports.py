"""
Analytics: what is known of a video's segments besides how many they were.

None of it is in the interface document; names and shapes follow those of its
"Analytics shapes".
"""

from collections.abc import Mapping
from typing import Final

from hvcore.domain.analytics.breakdown import BreakdownBy, VideoBreakdown
from hvcore.domain.analytics.playback_quality import (
    Measured,
    PlaybackQualityDay,
    VideoPlaybackQuality,
)
from hvcore.domain.videos.video import Video
from hvcore.wire.responses import Payload
from hvcore.wire.schema import (
    BOOLEAN,
    COUNT,
    DAY,
    NUMBER,
    STRING,
    Schema,
    array,
    identifier,
    record,
    words_of,
)

UNKNOWN: Final = "(unknown)"
"""Neither a country nor a host has such a name."""


def _measures(name: str, unit: str) -> Mapping[str, Schema]:
    return {
        f"{name}Reports": COUNT,
        f"avg{name.capitalize()}{unit}": {**NUMBER, "minimum": 0},
        f"min{name.capitalize()}{unit}": COUNT,
        f"max{name.capitalize()}{unit}": COUNT,
    }


_NAMES: Final[Mapping[str, Schema]] = {
    "vidId": identifier("vid_"),
    "vidPublicId": identifier("pubvid_"),
    "vidName": STRING,
    "vidNameValid": BOOLEAN,
    "assetId": identifier("vid_"),
}
PLAYBACK_QUALITY: Final = record(
    {
        "summary": record(
            {**_NAMES, "reports": COUNT, "playbackQualityValid": BOOLEAN}
        ),
        "playbackQuality": array(
            record(
                {
                    "deliveryDate": DAY,
                    "reports": COUNT,
                    "rebufferingReports": COUNT,
                    "startupReports": COUNT,
                    **_measures("throughput", "Kbps"),
                    **_measures("buffer", "Ms"),
                    **_measures("bitrate", "Kbps"),
                }
            )
        ),
    }
)
BREAKDOWN: Final = record(
    {
        "summary": record(
            {
                **_NAMES,
                "by": words_of(BreakdownBy),
                "segmentsServed": COUNT,
                "breakdownValid": BOOLEAN,
            }
        ),
        "breakdown": array(
            record({"deliveryDate": DAY, "value": STRING, "segmentsServed": COUNT})
        ),
    }
)


def playback_quality(told: VideoPlaybackQuality) -> Payload:
    """
    Render what players told of a video, day by day.
    """
    days = told.days or ()
    return {
        "summary": {
            **_names(told.video),
            "reports": sum(day.quality.reports for day in days),
            "playbackQualityValid": told.days is not None,
        },
        "playbackQuality": [_quality_record(day) for day in days],
    }


def breakdown(told: VideoBreakdown) -> Payload:
    """
    Render where the segments of a video went, day by day.
    """
    return {
        "summary": {
            **_names(told.video),
            "by": told.by.value,
            "segmentsServed": sum(row.segments for row in told.rows),
            "breakdownValid": told.is_kept,
        },
        "breakdown": [
            {
                "deliveryDate": row.day.isoformat(),
                "value": UNKNOWN if row.value is None else row.value,
                "segmentsServed": row.segments,
            }
            for row in told.rows
        ],
    }


def _quality_record(day: PlaybackQualityDay) -> Payload:
    told = day.quality
    return {
        "deliveryDate": day.day.isoformat(),
        "reports": told.reports,
        "rebufferingReports": told.starved,
        "startupReports": told.startups,
        **_measured("throughput", "Kbps", told.throughput_kbps),
        **_measured("buffer", "Ms", told.buffer_ms),
        **_measured("bitrate", "Kbps", told.bitrate_kbps),
    }


def _measured(name: str, unit: str, told: Measured) -> Payload:
    """
    Render what was told of one number; all zeros if it never was.
    """
    named = f"{name.capitalize()}{unit}"
    return {
        f"{name}Reports": told.count,
        f"avg{named}": round(told.mean or 0.0, 1),
        f"min{named}": told.least or 0,
        f"max{named}": told.most or 0,
    }


def _names(video: Video) -> Payload:
    return {
        "vidId": video.id,
        "vidPublicId": video.public_id,
        "vidName": video.name,
        "vidNameValid": True,
        "assetId": video.id,
    }
