"""The tables of analytics reports as exported files: the name and columns of each file."""

from collections.abc import Mapping
from typing import Final

import attrs

from hvcore.wire.analytics import schemas, video_reports
from hvcore.wire.analytics.query import LiveRecords, VideoRecords
from hvcore.wire.exports import Table, table

USAGE: Final = table("usage", schemas.USAGE, "usage")
DAILY: Final = table("daily", schemas.DAILY, "dailyUsage")
_WATCHED = table("videos", schemas.WATCHED_VIDEOS, "videos")
VIDEO_DAYS: Final = attrs.evolve(_WATCHED, name="videos-by-day")
VIDEOS: Final = attrs.evolve(
    _WATCHED, columns=tuple(n for n in _WATCHED.columns if n != "deliveryDate")
)
STORAGE: Final = table("storage", schemas.STORAGE, "storage")
DISTRIBUTION: Final = table(
    "resolution-distribution", schemas.DISTRIBUTION, "distribution"
)
EXPLANATION: Final = table("explanation", schemas.EXPLANATION, "ignored")
PLAYBACK_QUALITY: Final = table(
    "playback-quality", video_reports.PLAYBACK_QUALITY, "playbackQuality"
)
PLAYBACK_SESSIONS: Final = table(
    "playback-sessions", video_reports.PLAYBACK_QUALITY, "playbackSessions"
)
BREAKDOWN: Final = table("breakdown", video_reports.BREAKDOWN, "breakdown")
OF_VIDEO: Final[Mapping[VideoRecords, Table]] = {
    records: table(records.value, schemas.VIDEO_RESOLUTION, records.value)
    for records in VideoRecords
}
LIVE: Final[Mapping[LiveRecords, Table]] = {
    records: table(records.value, schemas.VIEWERS, records.value)
    for records in LiveRecords
}
