"""Find the published segment that shows a moment of a video."""

from bisect import bisect_right
from itertools import accumulate
from typing import Final

import attrs

from hvcore.domain.processing.media_index import MediaIndex
from hvcore.domain.processing.source_info import UnusableSourceError
from hvcore.domain.processing.transcoding import Rung
from hvcore.services.playback.published_files import (
    INIT,
    PublishedMedia,
    find_published,
)

MAX_STILL_EDGE_PX: Final = 1080
"""Thumbnails are rarely larger, and decoding 2160p takes four times as long."""
_A_MOMENT_S: Final = 0.001
"""Times are rounded where they are stored."""


@attrs.frozen(kw_only=True)
class StillLocation:
    """
    The published files and the offset at which the frame of a moment is found.

    Attributes:
        files: The init and the media segment, in this order; paths are under the
            media root.
        at_s: The seconds from the beginning of the segment; the frame is the first that begins at or
            after this offset.
    """

    files: tuple[PublishedMedia, ...]
    at_s: float


def locate(media: MediaIndex, at_s: float) -> StillLocation:
    """
    Return the location of a moment's frame, in the best rung of at most 1080 pixels.

    A larger rung would take too long to decode. A moment behind the last frame finds the last
    frame.

    Raises:
        UnusableSourceError: The video has no picture.
    """
    rungs = [(t.track, t.track.rung) for t in media.tracks if t.track.rung]
    small = [pair for pair in rungs if pair[1].short_edge_px <= MAX_STILL_EDGE_PX]
    if not rungs:
        raise UnusableSourceError("The video has no picture.")
    track, rung = (small or rungs[:1])[-1]
    ends_s = list(accumulate(segment.duration_s for segment in track.segments))
    number = min(bisect_right(ends_s, at_s), len(ends_s) - 1)
    chosen = track.segments[number]
    begins_s = ends_s[number] - chosen.duration_s
    names = (f"{track.name}/{INIT}", f"{track.name}/{chosen.number}.m4s")
    found = tuple(find_published(media, name) for name in names)
    return StillLocation(
        files=tuple(one for one in found if isinstance(one, PublishedMedia)),
        at_s=_within(at_s - begins_s, chosen.duration_s, rung),
    )


def _within(at_s: float, duration_s: float, rung: Rung) -> float:
    last_frame_s = duration_s - float(1 / rung.frame_rate)
    return max(0.0, min(at_s, last_frame_s) - _A_MOMENT_S)
