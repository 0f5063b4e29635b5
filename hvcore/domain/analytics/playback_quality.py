"""
The quality of playback, as players report it: sums for a video's UTC day.

Source: CTA-5004, table 1. Single reports are not stored, and nobody can verify
    them.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime

import attrs

from hvcore.domain.analytics.playback_metrics import (
    COLUMNS,
    Aggregation,
    PlaybackQuality,
    PlayerReport,
)
from hvcore.domain.analytics.playback_sessions import SessionsBy, SessionSums
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.domain.videos.video import Video


@attrs.frozen(kw_only=True)
class PlayerReported:
    """Record a player's report about playback, sent with the request for a segment."""

    org_id: OrgId
    env_id: EnvId
    video_id: VideoId
    report: PlayerReport
    at: datetime


@attrs.frozen(kw_only=True)
class PlaybackQualityCount:
    """Hold the sums of players' reports about a video on a UTC day."""

    org_id: OrgId
    env_id: EnvId
    video_id: VideoId
    day: date
    quality: PlaybackQuality


@attrs.frozen(kw_only=True)
class PlaybackQualityDay:
    """Hold the sums of players' reports on a UTC day, of a video or of environments."""

    day: date
    quality: PlaybackQuality


@attrs.frozen(kw_only=True)
class VideoPlaybackQuality:
    """
    Hold the sums of players' reports about a video, day by day.

    Attributes:
        days: The days with reports, oldest first; None if no analytics sink stores
            reports.
        by: The subject by which sessions are told apart.
        sessions: The sums of sessions by day and value, oldest day first; None if
            playback sessions are switched off.
    """

    video: Video
    days: Sequence[PlaybackQualityDay] | None
    by: SessionsBy = SessionsBy.DAY
    sessions: Sequence[SessionSums] | None = None


def roll_up_reports(
    reported: Iterable[PlayerReported],
) -> tuple[PlaybackQualityCount, ...]:
    """Sum up players' reports by video and UTC day."""
    found: dict[tuple[OrgId, EnvId, VideoId, date], list[PlayerReport]] = {}
    for one in reported:
        day = one.at.astimezone(UTC).date()
        key = (one.org_id, one.env_id, one.video_id, day)
        found.setdefault(key, []).append(one.report)
    return tuple(
        PlaybackQualityCount(
            org_id=org_id,
            env_id=env_id,
            video_id=video_id,
            day=day,
            quality=PlaybackQuality.of(reports),
        )
        for (org_id, env_id, video_id, day), reports in found.items()
    )


def sum_of(days: Iterable[PlaybackQualityDay]) -> PlaybackQuality:
    """Sum up the playback quality of several days."""
    found: list[int | None] = [None] * len(COLUMNS)
    for day in days:
        for at, value in enumerate(day.quality.to_columns()):
            found[at] = _joined(COLUMNS[at].aggregation, found[at], value)
    return PlaybackQuality.from_columns(found)


def _joined(how: Aggregation, one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    if how is Aggregation.SUM:
        return one + other
    return min(one, other) if how is Aggregation.MIN else max(one, other)
