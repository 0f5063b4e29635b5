"""
How playback went, as players tell it: sums of a video's UTC day.

Source: CTA-5004, table 1. What one player told is not kept, and nobody can
check it.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime

import attrs

from hvcore.domain.analytics.playback_metrics import PlaybackQuality, PlayerReport
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.domain.videos.video import Video


@attrs.frozen(kw_only=True)
class PlayerReported:
    """
    A player asked for a segment, was handed it, and told how playback goes.
    """

    org_id: OrgId
    env_id: EnvId
    video_id: VideoId
    report: PlayerReport
    at: datetime


@attrs.frozen(kw_only=True)
class PlaybackQualityCount:
    """
    What players told of a video on a UTC day.
    """

    org_id: OrgId
    env_id: EnvId
    video_id: VideoId
    day: date
    quality: PlaybackQuality


@attrs.frozen(kw_only=True)
class PlaybackQualityDay:
    """
    What players told on a UTC day, in some scope.
    """

    day: date
    quality: PlaybackQuality


@attrs.frozen(kw_only=True)
class VideoPlaybackQuality:
    """
    What players told of a video.

    Attributes:
        days: Oldest first, those on which they told anything; None if nobody
            keeps it.
    """

    video: Video
    days: Sequence[PlaybackQualityDay] | None


def roll_up_reports(
    reported: Iterable[PlayerReported],
) -> tuple[PlaybackQualityCount, ...]:
    """
    Take reports together by video and UTC day.
    """
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
            quality=PlaybackQuality.of(told),
        )
        for (org_id, env_id, video_id, day), told in found.items()
    )
