"""
List the first pictures (I-frames) of segments, which players show while a viewer scrubs.

Source: RFC 8216, sections 4.3.3.6 and 4.3.4.3. Each picture has an address of its own,
which answers with the beginning of the segment's file, up to the end of its first
picture. A byte range of the segment would be the same bytes, but it would be a part
of a segment from its first byte on, which is counted as watched.
"""

from typing import Final

import attrs

from hvcore.domain.processing.transcoding import Segment, Track

VIDEO: Final = "video"
PICTURES: Final = "iframes"
"""Where they are, as their playlists have it."""


def first_pictures(track: Track) -> Track | None:
    """
    Return the first pictures of a rung's segments as a track; None if the size of one is unknown.

    Each segment of that track has the size of a picture, and lasts until the next picture.
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
