"""
The JSON payloads of the reports about playback quality and about where requests came from.

The interface document has none of them; names and shapes follow its "Analytics shapes".
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from hvcore.domain.analytics.breakdown import BreakdownBy, BreakdownDay, VideoBreakdown
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
from hvcore.domain.analytics.playback_sessions import SessionsBy, SessionSums
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
    """Return the members of a metric: reports, mean, minimum and maximum."""
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


_NUMBER: Final = {**NUMBER, "minimum": 0}
_SHARE: Final = {**NUMBER, "minimum": 0, "maximum": 1}
_NAMES: Final[Mapping[str, Schema]] = {
    "vidId": identifier("vid_"),
    "vidPublicId": identifier("pubvid_"),
    "vidName": STRING,
    "vidNameValid": BOOLEAN,
    "assetId": identifier("vid_"),
}
PLAYBACK_QUALITY: Final = record(
    "PlaybackQualityReport",
    {
        "summary": record(
            "PlaybackQualitySummary",
            {
                **_NAMES,
                "reports": COUNT,
                "playbackQualityValid": BOOLEAN,
                "by": words_of(SessionsBy),
                "sessions": COUNT,
                "sessionsReported": COUNT,
                "reportedShare": _SHARE,
                "playbackSessionsValid": BOOLEAN,
            },
        ),
        "playbackQuality": array(
            record(
                "PlaybackQualityOfDay",
                {
                    "deliveryDate": DAY,
                    "reports": COUNT,
                    **{
                        name: schema
                        for metric in METRICS
                        for name, schema in _members(metric)
                    },
                },
            )
        ),
        "playbackSessions": array(
            record(
                "PlaybackSessionsOfDay",
                {
                    "deliveryDate": DAY,
                    "value": STRING,
                    "sessions": COUNT,
                    "sessionsReported": COUNT,
                    "reportedShare": _SHARE,
                    "sessionsStarted": COUNT,
                    "avgStartupMs": _NUMBER,
                    "medianStartupMs": _NUMBER,
                    "p95StartupMs": _NUMBER,
                    "playedMs": COUNT,
                    "rebufferingMs": COUNT,
                    "rebufferingShare": _SHARE,
                    "rebufferings": COUNT,
                    "playbackErrors": COUNT,
                },
            )
        ),
    },
)
BREAKDOWN: Final = record(
    "BreakdownReport",
    {
        "summary": record(
            "BreakdownSummary",
            {
                **_NAMES,
                "by": words_of(BreakdownBy),
                "segmentsServed": COUNT,
                "breakdownValid": BOOLEAN,
            },
        ),
        "breakdown": array(
            record(
                "BreakdownOfDay",
                {"deliveryDate": DAY, "value": STRING, "segmentsServed": COUNT},
            )
        ),
    },
)


def playback_quality(report: VideoPlaybackQuality) -> Payload:
    """Return the JSON payload of the report of a video's playback quality, summed from players' reports day by day."""
    days = report.days or ()
    sessions = report.sessions or ()
    begun = sum(one.of("begun") for one in sessions)
    reported = sum(one.of("reported") for one in sessions)
    return {
        "summary": {
            **_names(report.video),
            "reports": sum(day.quality.reports for day in days),
            "playbackQualityValid": report.days is not None,
            "by": report.by.value,
            "sessions": begun,
            "sessionsReported": reported,
            "reportedShare": min(1.0, round(reported / begun, 4)) if begun else 0.0,
            "playbackSessionsValid": report.sessions is not None,
        },
        "playbackQuality": quality_records(days),
        "playbackSessions": [_session_record(one, report.by) for one in sessions],
    }


def breakdown(report: VideoBreakdown) -> Payload:
    """Return the JSON payload of a video's segments by country or referrer, day by day."""
    return {
        "summary": {
            **_names(report.video),
            "by": report.by.value,
            "segmentsServed": sum(row.segments for row in report.rows),
            "breakdownValid": report.is_stored,
        },
        "breakdown": breakdown_records(report.rows),
    }


def quality_records(days: Iterable[PlaybackQualityDay]) -> list[Payload]:
    """Return the sums of players' reports as records for a file, one record a day."""
    return [_quality_record(day) for day in days]


def breakdown_records(rows: Iterable[BreakdownDay]) -> list[Payload]:
    """Return segments by country or referrer as records for a file, by day."""
    return [
        {
            "deliveryDate": row.day.isoformat(),
            "value": UNKNOWN if row.value is None else row.value,
            "segmentsServed": row.segments,
        }
        for row in rows
    ]


def _quality_record(day: PlaybackQualityDay) -> Payload:
    record = {"deliveryDate": day.day.isoformat(), "reports": day.quality.reports}
    for metric in METRICS:
        names = (name for name, _ in _members(metric))
        record |= zip(names, _values(day.quality, metric), strict=True)
    return record


def _session_record(sums: SessionSums, by: SessionsBy) -> Payload:
    value = "" if by is SessionsBy.DAY else sums.value or UNKNOWN
    return {
        "deliveryDate": sums.day.isoformat(),
        "value": value,
        "sessions": sums.of("begun"),
        "sessionsReported": sums.of("reported"),
        "reportedShare": round(sums.reported_share, 4),
        "sessionsStarted": sums.of("started"),
        "avgStartupMs": round(sums.mean_startup_ms, 1),
        "medianStartupMs": sums.startup_quantile_ms(0.5),
        "p95StartupMs": sums.startup_quantile_ms(0.95),
        "playedMs": sums.of("played_ms"),
        "rebufferingMs": sums.of("rebuffering_ms"),
        "rebufferingShare": round(sums.rebuffering_share, 6),
        "rebufferings": sums.of("rebufferings"),
        "playbackErrors": sums.of("errors"),
    }


def _values(report: PlaybackQuality, metric: PlaybackMetric) -> Sequence[int | float]:
    """Return the values of a metric's members; all zeros if no report had it."""
    if metric.sums_as is SumsAs.REPORTS:
        return (report.reports_of(metric),)
    measured = report.measured(metric)
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
        # A deleted video's is empty.
        "vidNameValid": bool(video.name),
        "assetId": video.id,
    }
