"""
Write the head of an MP4 file that consists of published segments.

Source: ISO/IEC 14496-12, sections 4.3, 8.1.1, 8.2.2, 8.3.2, 8.4.2, 8.6.6. The descriptions of the
tracks are copied from the init segments; only times and byte offsets are new.
"""

import math
import struct
from collections.abc import Sequence
from typing import Final

import attrs

from hvcore.mp4.boxes import Mp4Box, Mp4Error
from hvcore.progressive.box_writing import box, full_box, number
from hvcore.progressive.fragments import movie_of
from hvcore.progressive.sample_tables import SampleTables

VERSION: Final = 1
"""The version of heads; it changes if the same segments would get another head."""
_BRANDS: Final = b"isom\0\0\x02\0isomiso2mp41"
_LONG_HEADER: Final = 16
_MOST_UNITS: Final = 1 << 31
_NO_MEDIA: Final = -1
# Before and behind the duration: creation, change and number, in both versions.
_FIELDS: Final = {0: "II", 1: "QQ"}


@attrs.frozen(kw_only=True)
class JoinedTrack:
    """
    A track of the MP4 file that a video's segments are joined into.

    Attributes:
        init: The bytes of the track's init segment.
        tables: The sample tables of all of the track's segments.
    """

    init: bytes = attrs.field(repr=False)
    tables: SampleTables


def make_head(tracks: Sequence[JoinedTrack], media_bytes: int) -> bytes:
    """
    Return the head of a download: the bytes of the MP4 file before its segments.

    Args:
        media_bytes: The length of all segments together, in bytes.

    Raises:
        Mp4Error: An init segment is not in the form that this service writes.
    """
    movies = [movie_of(track.init) for track in tracks]
    media = [
        _Media.of(movie, t.tables) for movie, t in zip(movies, tracks, strict=True)
    ]
    units = math.lcm(*(one.units for one in media))
    if units >= _MOST_UNITS:
        units = media[0].units
    data = struct.pack(">I4sQ", 1, b"mdat", _LONG_HEADER + media_bytes)
    kinds = box(b"ftyp", _BRANDS)
    # Their length does not depend on where the segments begin.
    first_byte = 0
    for _ in range(2):
        written = b"".join(
            one.track_box(track_id, units, first_byte)
            for track_id, one in enumerate(media, 1)
        )
        header = _movie_header(
            movies[0].child("mvhd"), units, media, next_track=len(media) + 1
        )
        head = kinds + box(b"moov", header, written) + data
        first_byte = len(head)
    return head


@attrs.frozen(kw_only=True)
class _Media:
    """
    A track as its init segment describes it.

    Attributes:
        units: The track's units of time in a second.
        starts: The time at which the first sample is shown, from the beginning of the movie; below
            zero for samples that are decoded and not shown.
    """

    track: Mp4Box
    tables: SampleTables
    units: int
    starts: int

    @classmethod
    def of(cls, movie: Mp4Box, tables: SampleTables) -> "_Media":
        track = movie.child("trak")
        header = track.child("mdia/mdhd")
        units = _after_times(header).fields("I")[0]
        if not units:
            raise Mp4Error("a track has no unit of time")
        (movie_units,) = _after_times(movie.child("mvhd")).fields("I")
        starts = tables.first_time + tables.first_shown
        edits = track.find("edts/elst")
        for duration, media_time in _edits(edits) if edits else ():
            if media_time == _NO_MEDIA:
                starts += duration * units // max(1, movie_units)
                continue
            starts -= media_time
            break
        return cls(track=track, tables=tables, units=units, starts=starts)

    def shown(self, units: int) -> tuple[int, int]:
        """Return the start and the duration of the medium, in some units per second."""
        starts = max(0, self.starts) * units // self.units
        lasts = (self.tables.duration + min(0, self.starts)) * units // self.units
        return starts, max(0, lasts)

    def track_box(self, track_id: int, units: int, first_byte: int) -> bytes:
        starts, lasts = self.shown(units)
        parts = [_track_header(self.track.child("tkhd"), track_id, starts + lasts)]
        # An edit that begins before the first picture is shown confuses players.
        begins_at = self.tables.first_shown + max(0, -self.starts)
        if starts or begins_at:
            edits = [(starts, _NO_MEDIA)] if starts else []
            edits.append((lasts, max(0, begins_at)))
            body = b"".join(struct.pack(">QqI", *one, 1 << 16) for one in edits)
            listed = full_box(b"elst", number(len(edits)), body, version=1)
            parts.append(box(b"edts", listed))
        parts.append(self._media_box(first_byte))
        return box(b"trak", *parts)

    def _media_box(self, first_byte: int) -> bytes:
        media = self.track.child("mdia")
        parts = []
        for part in media.children():
            if part.kind == "mdhd":
                rest = _after_times(part)
                language = rest.content()[-4:]
                times = struct.pack(">QQIQ", 0, 0, self.units, self.tables.duration)
                parts.append(full_box(b"mdhd", times, language, version=1))
            elif part.kind == "minf":
                parts.append(self._information(part, first_byte))
            else:
                parts.append(_copied(part))
        return box(b"mdia", *parts)

    def _information(self, information: Mp4Box, first_byte: int) -> bytes:
        parts = []
        for part in information.children():
            if part.kind == "stbl":
                described = _copied(part.child("stsd"))
                parts.append(box(b"stbl", described, self.tables.boxes(first_byte)))
            else:
                parts.append(_copied(part))
        return box(b"minf", *parts)


def _movie_header(
    header: Mp4Box, units: int, media: Sequence[_Media], *, next_track: int
) -> bytes:
    lasts = max(sum(one.shown(units)) for one in media)
    times = struct.pack(">QQIQ", 0, 0, units, lasts)
    # Rate, volume, the matrix, which all stay.
    behind = header.content()[-80:-4]
    return full_box(b"mvhd", times, behind, number(next_track), version=1)


def _track_header(header: Mp4Box, track_id: int, lasts: int) -> bytes:
    flags = header.fields("I")[0] & 0xFFFFFF
    times = struct.pack(">QQIIQ", 0, 0, track_id, 0, lasts)
    # From the reserved words on: layer, volume, the matrix, width and height.
    return full_box(b"tkhd", times, header.content()[-60:], version=1, flags=flags)


def _after_times(header: Mp4Box) -> Mp4Box:
    """Return the part of a header box that begins with its unit of time."""
    (version,) = header.fields("B")
    if version not in _FIELDS:
        raise Mp4Error(f"{header.kind} has version {version}")
    behind = 4 + struct.calcsize(f">{_FIELDS[version]}")
    return attrs.evolve(header, start=header.start + behind)


def _edits(listed: Mp4Box) -> list[tuple[int, int]]:
    (version,), (count,) = listed.fields("B"), listed.fields("I", 4)
    form, size = ("Qq", 20) if version == 1 else ("Ii", 12)
    found = []
    for index in range(min(count, 64)):
        duration, media_time = listed.fields(form, 8 + index * size)
        found.append((duration, media_time))
    return found


def _copied(part: Mp4Box) -> bytes:
    return box(part.kind.encode("latin-1"), part.content())
