"""
Read in MP4, QuickTime and Matroska files which part of a picture is shown.

ffmpeg reads the shown part only since version 7.1, and takes the aspect ratio of a cropped
picture for that of the whole picture.

Source: ISO/IEC 14496-12, sections 12.1.4 (clap, pasp) and 8.3.2; RFC 9559, section
5.1.4.1.28 (Video).
"""

import struct
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from math import cos, isfinite, radians, sin
from pathlib import Path
from typing import Final

import attrs

from hvcore.plugin_api import Mp4Box, Mp4Error, ReadingBudget, box_of
from hvcore_transcoder_ffmpeg.probe.containers import read_movie
from hvcore_transcoder_ffmpeg.probe.ebml import elements, number, read_tracks
from hvcore_transcoder_ffmpeg.probe.geometry import NO_CROP, Crop

_ENTRIES_BEGIN_AT: Final = 8
_VISUAL_FIELDS: Final = 78
"""The size of the fields before the boxes in a video's sample entry."""

_TRACK: Final = 0xAE
_KIND: Final = 0x83
_CODEC: Final = 0x86
_VIDEO: Final = 0xE0
_PIXELS: Final = (0xB0, 0xBA)
_SHOWN: Final = (0x54B0, 0x54BA)
_SHOWN_UNIT: Final = 0x54B2
_UNKNOWN_UNIT: Final = 4
_CROPS: Final = (0x54CC, 0x54BB, 0x54DD, 0x54AA)
"""The Matroska elements of the pixels that are cropped: left, top, right, bottom."""
_PROJECTION: Final = 0x7670
_YAW: Final = 0x7673
_ROLL: Final = 0x7675
_VIDEO_KIND: Final = 1
_STREAM_KINDS: Final = frozenset({_VIDEO_KIND, 0x02, 0x11, 0x21})
"""The kinds of Matroska tracks that ffmpeg counts: video, audio, subtitles, metadata."""
_FIXED_POINT: Final = 65536


@attrs.frozen(kw_only=True)
class ContainerPicture:
    """
    Hold a container's facts about a video track that ffprobe does not report.

    Attributes:
        crop: The pixels that the container cuts off at each edge.
        pixel_shape: The width of a pixel by its height, for cropped pictures; 0 if the
            container does not tell it.
        aspect: The width of the shown picture by its height; 0 if the container does not
            tell it.
        matrix: The display matrix of a Matroska projection, which ffprobe may not know;
            None if there is none.
    """

    crop: Crop = NO_CROP
    pixel_shape: Fraction = Fraction(0)
    aspect: Fraction = Fraction(0)
    matrix: tuple[int, ...] | None = None


PLAIN: Final = ContainerPicture()


@attrs.frozen(kw_only=True)
class ContainerPictures:
    """
    Hold a container's facts about the pictures of all tracks of a file.

    Attributes:
        numbered: The facts by the container's number of the track; empty if the container
            has no numbers.
        placed: The facts by ffmpeg's index of the track; PLAIN for sound and texts.
    """

    numbered: dict[int, ContainerPicture] = attrs.field(factory=dict)
    placed: tuple[ContainerPicture, ...] = ()

    def of_copy(self, indexes: Sequence[int]) -> "ContainerPictures":
        """
        Return the same facts for a copy of some of the file's tracks.

        Args:
            indexes: The index in the file for each index in the copy.
        """
        # Numbers in the copy are others.
        return ContainerPictures(placed=tuple(map(self._at, indexes)))

    def of(self, track_id: str, index: int) -> ContainerPicture:
        """
        Return the container's facts about the pictures of a track.

        Args:
            track_id: The track's number as ffprobe prints it, such as ``0x1``; ``""`` if
                the track has none.
            index: ffmpeg's index of the track.
        """
        if self.numbered:
            with suppress(ValueError):
                return self.numbered.get(int(track_id, 16), PLAIN)
        return self._at(index)

    def _at(self, index: int) -> ContainerPicture:
        return self.placed[index] if index < len(self.placed) else PLAIN


def read_container(path: Path, container: str) -> ContainerPictures:
    """Return the facts about the pictures in a file, by ffmpeg's name of its demuxer."""
    if container == "mov":
        return _read_mp4(path)
    if container == "matroska":
        return ContainerPictures(placed=tuple(_read_matroska(path)))
    return ContainerPictures()


def _read_mp4(path: Path) -> ContainerPictures:
    """Return the facts about the cropped tracks of an MP4 or QuickTime file."""
    with path.open("rb") as file:
        movie = read_movie(file)
    numbered, placed = {}, []
    index = box_of(movie, kind="moov", budget=ReadingBudget())
    # Of a damaged index, whatever comes before the damage.
    with suppress(Mp4Error):
        for track in index.children():
            if track.kind == "trak":
                placed.append(PLAIN)
                with suppress(Mp4Error):
                    header = track.child("tkhd")
                    (track_id,) = header.fields(
                        "I", 20 if header.fields("B")[0] else 12
                    )
                    numbered[track_id] = placed[-1] = _mp4_picture(track)
    return ContainerPictures(numbered=numbered, placed=tuple(placed))


def _mp4_picture(track: Mp4Box) -> ContainerPicture:
    table = track.child("mdia/minf/stbl/stsd")
    entry = next(table.children(_ENTRIES_BEGIN_AT), None)
    clap = entry.find("clap", _VISUAL_FIELDS) if entry else None
    if entry is None or clap is None:
        return PLAIN
    numbers = clap.fields("8I")
    signed = [n - (1 << 32) if n >> 31 else n for n in numbers]
    if 0 in numbers[1::2]:
        return PLAIN
    width, height, x, y = map(Fraction, signed[::2], signed[1::2])
    pasp = entry.find("pasp", _VISUAL_FIELDS)
    across, down = pasp.fields("II") if pasp else (1, 1)
    whole_px = entry.fields("HH", 24)
    left_px, right_px = _cut(whole_px[0], width, x)
    top_px, bottom_px = _cut(whole_px[1], height, y)
    return ContainerPicture(
        crop=Crop(
            left_px=left_px, top_px=top_px, right_px=right_px, bottom_px=bottom_px
        ),
        pixel_shape=Fraction(across, down) if down else Fraction(0),
    )


def _cut(whole_px: int, shown: Fraction, offset: Fraction) -> tuple[int, int]:
    # The offset is that of the middle of what is shown.
    before = round((whole_px - shown) / 2 + offset)
    return before, whole_px - before - round(shown)


def _read_matroska(path: Path) -> list[ContainerPicture]:
    """Return the facts about each track of a Matroska or WebM file, by ffmpeg's index."""
    with path.open("rb") as file:
        tracks = read_tracks(file)
    # Of a damaged index, whatever comes before the damage.
    found: list[ContainerPicture] = []
    budget = ReadingBudget()
    with suppress(ValueError, struct.error):
        for kind, track in elements(tracks, budget):
            if kind != _TRACK:
                continue
            fields = dict(elements(track, budget))
            track_kind = number(fields.get(_KIND))
            if track_kind not in _STREAM_KINDS or not fields.get(_CODEC):
                continue
            is_video = track_kind == _VIDEO_KIND
            picture = fields.get(_VIDEO, b"")
            found.append(_matroska_picture(picture, budget) if is_video else PLAIN)
    return found


def _matroska_picture(content: bytes, budget: ReadingBudget) -> ContainerPicture:
    fields = dict(elements(content, budget))
    left_px, top_px, right_px, bottom_px = (number(fields.get(one)) for one in _CROPS)
    crop = Crop(left_px=left_px, top_px=top_px, right_px=right_px, bottom_px=bottom_px)
    width_px, height_px = (number(fields.get(one)) for one in _PIXELS)
    unit = number(fields.get(_SHOWN_UNIT))
    cropped = (width_px - left_px - right_px, height_px - top_px - bottom_px)
    across, down = (
        number(fields.get(one)) or rest
        for one, rest in zip(_SHOWN, cropped, strict=True)
    )
    if (across, down) == (width_px, height_px):
        # mkvmerge crops, and goes on saying the size of before: its pixels are square.
        across, down = cropped
    aspect = Fraction(0)
    is_said = any(one in fields for one in _SHOWN)
    if is_said and min(across, down) > 0 and unit != _UNKNOWN_UNIT:
        aspect = Fraction(across, down)
    return ContainerPicture(
        crop=crop,
        aspect=aspect,
        matrix=_posed(dict(elements(fields.get(_PROJECTION, b""), budget))),
    )


def _posed(fields: dict[int, bytes]) -> tuple[int, ...] | None:
    """Return the display matrix of a projection that is rolled or mirrored, else None."""
    yaw, roll = (_real(fields.get(one, b"")) for one in (_YAW, _ROLL))
    if not yaw and not roll:
        return None
    # Counterclockwise, as seen from behind where it is mirrored.
    across, along = (round(of(roll) * _FIXED_POINT) for of in (cos, sin))
    mirrored = -1 if cos(yaw) < 0 else 1
    return (mirrored * across, -mirrored * along, 0, along, across, 0, 0, 0, 1 << 30)


def _real(content: bytes) -> float:
    """Return the angle in an element's content, in radians; 0 if there is none."""
    form = {4: ">f", 8: ">d"}.get(len(content))
    value = struct.unpack(form, content)[0] if form else 0.0
    return radians(value) if isfinite(value) else 0.0
