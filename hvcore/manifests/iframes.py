"""
List the first pictures (I-frames) of segments, which players show while a viewer scrubs.

Source: RFC 8216, sections 4.3.3.6 and 4.3.4.3. Each picture has a URL of its own, which answers
with the segment's bytes up to the end of its first picture. A byte range of the segment's URL
would have the same bytes, but requests for it would count the segment as watched.
"""

from typing import Final

import attrs

from hvcore.domain.processing.transcoding import Segment, Track

VIDEO: Final = "video"
PICTURES: Final = "iframes"
"""Where they are, as their playlists have it."""


def first_pictures(track: Track) -> Track | None:
    """
    Return the track of the I-frames of a rung: the first picture of each segment; None if the bytes of one picture are unknown.

    Each segment of that track has the size of a picture in bytes, and lasts until the next picture.
    """
    if track.rung is None or not track.segments:
        return None
    found = [_first_picture(segment) for segment in track.segments]
    pictures = tuple(segment for segment in found if segment)
    if len(pictures) < len(found):
        return None
    return attrs.evolve(track, name=pictures_name(track), segments=pictures)


def pictures_name(track: Track) -> str:
    """Return the name of the track of a rung's I-frames: ``video/720p`` gives ``iframes/720p``."""
    return PICTURES + track.name.removeprefix(VIDEO)


def _first_picture(segment: Segment) -> Segment | None:
    if segment.first_picture_bytes is None:
        return None
    file = attrs.evolve(segment.file, size_bytes=segment.first_picture_bytes)
    return attrs.evolve(segment, file=file)
