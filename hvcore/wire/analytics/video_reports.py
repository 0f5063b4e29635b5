"""
Analytics: what is known of a video's segments besides how many they were.

None of it is in the interface document; names and shapes follow those of its
"Analytics shapes".
"""

from collections.abc import Mapping, Sequence
from typing import Final

from hvcore.domain.analytics.breakdown import BreakdownBy, VideoBreakdown
from hvcore.domain.analytics.playback_metrics import (
    METRICS,
    PlaybackMetric,
    PlaybackQuality,
    SumsAs,
)
from hvcore.domain.analytics.playback_quality import (
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


def _members(metric: PlaybackMetric) -> Sequence[tuple[str, Schema]]:
    """
    Return the members that tell of a metric: reports, mean, least and greatest.
    """
    reports = (f"{metric.answer_name}Reports", COUNT)
    if metric.sums_as is SumsAs.REPORTS:
        return (reports,)
    name = metric.answer_name
    named = f"{name[:1].upper()}{name[1:]}{metric.answer_unit}"
    return (
        reports,
        (f"avg{named}", {**NUMBER, "minimum": 0}),
        (f"min{named}", COUNT),
        (f"max{named}", COUNT),
    )


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
                    **{
                        name: schema
                        for metric in METRICS
                        for name, schema in _members(metric)
                    },
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
    record = {"deliveryDate": day.day.isoformat(), "reports": day.quality.reports}
    for metric in METRICS:
        names = (name for name, _ in _members(metric))
        record |= zip(names, _values(day.quality, metric), strict=True)
    return record


def _values(told: PlaybackQuality, metric: PlaybackMetric) -> Sequence[int | float]:
    """
    Return the values of a metric's members; all zeros if it was never told.
    """
    if metric.sums_as is SumsAs.REPORTS:
        return (told.reports_of(metric),)
    measured = told.measured(metric)
    return (
        measured.count,
        round(measured.mean or 0.0, 1),
        measured.least or 0,
        measured.most or 0,
    )


def _names(video: Video) -> Payload:
    return {
        "vidId": video.id,
        "vidPublicId": video.public_id,
        "vidName": video.name,
        "vidNameValid": True,
        "assetId": video.id,
    }
