"""
The videos that environments hold, and the segments served of them.

Source: the interface document, "Analytics shapes".
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

import attrs

from hvcore.domain.access.tenants import Environment
from hvcore.domain.analytics.segments import (
    EnvironmentServed,
    HeightCount,
    ServedTotals,
)
from hvcore.domain.ids import EnvId
from hvcore.domain.processing.encoding import Preset
from hvcore.domain.videos.states import LISTED_STATES, VideoState
from hvcore.domain.videos.video import Video

_MS_PER_S: Final = 1000


@attrs.frozen(kw_only=True)
class VideoTotal:
    """Count the videos of an environment that have one state and one preset."""

    env_id: EnvId
    state: VideoState
    preset: Preset
    videos: int
    duration_ms: int


@attrs.frozen(kw_only=True)
class EnvironmentUploads:
    """
    Count the uploads to an environment, including those of videos deleted since.

    Attributes:
        since: The number of videos created on the asked day or later.
        first_at: When the very first video was created; None if there was none.
    """

    since: int = 0
    first_at: datetime | None = None


@attrs.frozen(kw_only=True)
class VideoAmount:
    """
    Hold the number of videos, and the durations of the videos that are ready.

    Attributes:
        ready: The number of videos that are ready.
        durations_s: The durations of ready videos, summed by preset.
    """

    videos: int
    ready: int
    durations_s: Mapping[Preset, float]

    @property
    def duration_s(self) -> float:
        """The duration of all ready videos together."""
        return sum(self.durations_s.values(), 0.0)

    @property
    def mean_duration_s(self) -> float:
        """The mean duration of the ready videos; 0 if none is ready."""
        return self.duration_s / self.ready if self.ready else 0.0


@attrs.frozen(kw_only=True)
class Usage:
    """Report the videos that an environment holds, and the segments served of them."""

    env: Environment
    amount: VideoAmount
    uploads: EnvironmentUploads
    served: EnvironmentServed


@attrs.frozen(kw_only=True)
class VideoWatched:
    """Report the segments served of a video."""

    video: Video
    totals: ServedTotals
    heights: tuple[HeightCount, ...]

    @property
    def most_popular_px(self) -> int | None:
        """The height with the most served segments, the greater of equals; None if none."""
        counts = [(count.segments, count.height_px) for count in self.heights]
        return max(counts)[1] if counts else None


def amount_of(totals: Iterable[VideoTotal]) -> VideoAmount:
    """Sum up the totals of videos that lists show; others, such as deleted ones, are ignored."""
    listed = [total for total in totals if total.state in LISTED_STATES]
    ready = [total for total in listed if total.state is VideoState.READY]
    return VideoAmount(
        videos=sum(total.videos for total in listed),
        ready=sum(total.videos for total in ready),
        durations_s={
            preset: sum(t.duration_ms for t in ready if t.preset is preset) / _MS_PER_S
            for preset in Preset
        },
    )
