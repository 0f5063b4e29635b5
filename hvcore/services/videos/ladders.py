"""Measure the published renditions of a video: their bit rates and sizes."""

from collections.abc import Sequence

import attrs

from hvcore.domain.access.principals import Principal
from hvcore.domain.limits import SEGMENT_S
from hvcore.domain.processing.transcoding import Track
from hvcore.manifests.bitrates import average_bps, peak_bps
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.services.access.authorization import find_authorized_video, require_listed


@attrs.frozen(kw_only=True)
class MeasuredTrack:
    """
    A published rendition of a video, with its bit rates and its size.

    Attributes:
        average_bps: Average bits per second of all its segments; 0 if it has none.
        peak_bps: Peak bit rate, as playlists announce it in ``BANDWIDTH``.
        size_bytes: The size of all files of the track together.
    """

    track: Track
    average_bps: int
    peak_bps: int
    size_bytes: int


@attrs.frozen(kw_only=True)
class Ladders:
    """Measure the bit rates and sizes of the published renditions of a video."""

    uow: UnitOfWork

    def of_video(
        self, caller: Principal, org_id: str, video_id: str
    ) -> Sequence[MeasuredTrack]:
        """
        Return a video's measured renditions: video rungs, smallest first, then sound.

        Returns:
            The renditions; empty before the video is ``ready``.

        Raises:
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the environment of the caller's API key.
        """
        with self.uow.read() as work:
            video = require_listed(
                find_authorized_video(work, caller, org_id, video_id)
            )
        if video.media is None:
            return ()
        return [_measured(published.track) for published in video.media.tracks]


def _measured(track: Track) -> MeasuredTrack:
    files = [track.init, *(segment.file for segment in track.segments)]
    return MeasuredTrack(
        track=track,
        average_bps=average_bps(track),
        peak_bps=peak_bps(track, target_s=SEGMENT_S),
        size_bytes=sum(file.size_bytes for file in files),
    )
