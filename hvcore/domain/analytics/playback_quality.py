"""
How playback went, as players tell it: sums of a video's UTC day.

Source: CTA-5004, table 1. What one player told is not kept, and nobody can
check it.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime

import attrs

from hvcore.domain.analytics.cmcd import PlayerReport
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
class Measured:
    """
    Numbers that were told, together.

    Attributes:
        count: How many.
        least: None if there are none; so is most.
    """

    count: int = 0
    total: int = 0
    least: int | None = None
    most: int | None = None

    @classmethod
    def of(cls, told: Iterable[int | None]) -> "Measured":
        """
        Take numbers together; None was not told.
        """
        values = [value for value in told if value is not None]
        if not values:
            return cls()
        return cls(
            count=len(values), total=sum(values), least=min(values), most=max(values)
        )

    @property
    def mean(self) -> float | None:
        """
        The arithmetic mean; None if there are none.
        """
        return self.total / self.count if self.count else None


@attrs.frozen(kw_only=True)
class PlaybackQuality:
    """
    What players told, together.

    Attributes:
        reports: Segments with which a player told anything.
        starved: Of them, those before which its buffer ran empty.
        startups: Of them, those that it needed at once.
    """

    reports: int
    starved: int
    startups: int
    throughput_kbps: Measured
    buffer_ms: Measured
    bitrate_kbps: Measured

    @classmethod
    def of(cls, told: Sequence[PlayerReport]) -> "PlaybackQuality":
        """
        Take reports together.
        """
        return cls(
            reports=len(told),
            starved=sum(one.has_starved for one in told),
            startups=sum(one.is_startup for one in told),
            throughput_kbps=Measured.of(one.throughput_kbps for one in told),
            buffer_ms=Measured.of(one.buffer_ms for one in told),
            bitrate_kbps=Measured.of(one.bitrate_kbps for one in told),
        )


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
