"""Find the published segments that show a moment, or a part, of a video."""

from bisect import bisect_right
from itertools import accumulate
from typing import Final

import attrs

from hvcore.domain.processing.media_index import MediaIndex
from hvcore.domain.processing.source_info import UnusableSourceError
from hvcore.domain.processing.transcoding import Rung, Track
from hvcore.services.playback.published_files import (
    INIT,
    PublishedMedia,
    find_published,
)

MAX_STILL_EDGE_PX: Final = 1080
"""Thumbnails are rarely larger, and decoding 2160p takes four times as long."""
_A_MOMENT_S: Final = 0.001
"""Times are rounded where they are stored."""
_EVERY_DECODER: Final = ("avc1", "avc3", "hvc1", "hev1")
"""The beginnings of codecs strings that every ffmpeg can decode; AV1 needs a library."""


@attrs.frozen(kw_only=True)
class StillLocation:
    """
    The published files and the offset at which the frame of a moment is found.

    Attributes:
        files: The init and the media segments, in this order; paths are under the
            media root.
        at_s: The seconds from the beginning of the first segment; the frame is the first that
            begins at or after this offset.
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
    return _located(media, _best(_pictured(media)), at_s, at_s)


def locate_covering(
    media: MediaIndex, start_s: float, end_s: float, size_px: tuple[int, int]
) -> StillLocation:
    """
    Return the location of the frames between two moments, in the smallest large enough rung.

    A rung is large enough if it covers a picture of ``size_px``, so that nothing is
    enlarged; if none is, the best rung of at most 1080 pixels is taken.

    Args:
        size_px: Width and height of the picture.

    Raises:
        UnusableSourceError: The video has no picture.
    """
    tracks = _pictured(media)
    best = _best(tracks)
    covering = [
        pair
        for pair in tracks
        if pair[1].width_px >= size_px[0] and pair[1].height_px >= size_px[1]
    ]
    smallest = min(covering, key=lambda pair: pair[1].short_edge_px, default=best)
    is_costly = smallest[1].short_edge_px > best[1].short_edge_px
    return _located(media, best if is_costly else smallest, start_s, end_s)


def _pictured(media: MediaIndex) -> list[tuple[Track, Rung]]:
    rungs = [(t.track, t.track.rung) for t in media.tracks if t.track.rung]
    if not rungs:
        raise UnusableSourceError("The video has no picture.")
    usual = [pair for pair in rungs if pair[0].codecs.startswith(_EVERY_DECODER)]
    return usual or rungs


def _best(tracks: list[tuple[Track, Rung]]) -> tuple[Track, Rung]:
    small = [pair for pair in tracks if pair[1].short_edge_px <= MAX_STILL_EDGE_PX]
    return (small or tracks[:1])[-1]


def _located(
    media: MediaIndex, found: tuple[Track, Rung], start_s: float, end_s: float
) -> StillLocation:
    track, rung = found
    ends_s = list(accumulate(segment.duration_s for segment in track.segments))
    last = len(ends_s) - 1
    first, final = (min(bisect_right(ends_s, at_s), last) for at_s in (start_s, end_s))
    chosen = track.segments[first : final + 1]
    begins_s = ends_s[first] - chosen[0].duration_s
    names = [f"{track.name}/{INIT}"]
    names += [f"{track.name}/{segment.number}.m4s" for segment in chosen]
    files = tuple(find_published(media, name) for name in names)
    return StillLocation(
        files=tuple(one for one in files if isinstance(one, PublishedMedia)),
        at_s=_within(start_s - begins_s, chosen[0].duration_s, rung),
    )


def _within(at_s: float, duration_s: float, rung: Rung) -> float:
    last_frame_s = duration_s - float(1 / rung.frame_rate)
    return max(0.0, min(at_s, last_frame_s) - _A_MOMENT_S)
