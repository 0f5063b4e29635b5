"""The ladder of a video as it was published, measured."""

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
    A rendition, and what it costs on the line.

    Attributes:
        average_bps: Bits a second of all its segments; 0 if it has none.
        peak_bps: Of its dearest moment, as playlists announce it.
        size_bytes: Of its files.
    """

    track: Track
    average_bps: int
    peak_bps: int
    size_bytes: int


@attrs.frozen(kw_only=True)
class Ladders:
    """Measure the published renditions of a video."""

    uow: UnitOfWork

    def of_video(
        self, caller: Principal, org_id: str, video_id: str
    ) -> Sequence[MeasuredTrack]:
        """
        Return a video's renditions: rungs, smallest first, then sound.

        Returns:
            Nothing before ``ready``.

        Raises:
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: It is outside the key's environment.
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
