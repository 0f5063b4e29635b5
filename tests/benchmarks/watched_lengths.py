"""
Made-up lengths of videos for benchmarks of counts by video.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from hvcore.domain.analytics.segments import EnvironmentScope
from hvcore.domain.analytics.video_counts import VideoLength
from hvcore.domain.ids import EnvId, OrgId, VideoId

ORG: Final = OrgId("org_benchmarkbenchmarkbenchm")
ENV: Final = EnvId("env_benchmarkbenchmarkbenchm")


class MadeUpLengths:
    """
    Lengths of videos of 4 s to an hour; see ports.video_counts.VideoLengths.
    """

    def __init__(self, videos: int) -> None:
        self._videos = videos
        self._changed_at = datetime(2025, 1, 1, tzinfo=UTC)

    def changed(
        self, since: datetime | None, after: VideoId, limit: int
    ) -> Sequence[VideoLength]:
        if since is not None and since < self._changed_at:
            after = VideoId("")
        return self._from(after, limit) if since is None or self._is_due(since) else ()

    def each(
        self, scope: EnvironmentScope, after: VideoId, limit: int
    ) -> Sequence[VideoLength]:
        del scope
        return self._from(after, limit)

    def of(self, videos: Collection[VideoId]) -> Mapping[VideoId, float]:
        return {video: _length_s(int(video[4:])) for video in videos}

    def _is_due(self, since: datetime) -> bool:
        return since == self._changed_at

    def _from(self, after: VideoId, limit: int) -> Sequence[VideoLength]:
        first = int(after[4:]) + 1 if after else 0
        return [
            VideoLength(
                org_id=ORG,
                env_id=ENV,
                video_id=VideoId(f"vid_{number:022}"),
                length_s=_length_s(number),
                changed_at=self._changed_at,
            )
            for number in range(first, min(first + limit, self._videos))
        ]


def _length_s(number: int) -> float:
    return 4 + number * 7919 % 3600 + 0.04
