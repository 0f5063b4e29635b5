"""Read the renditions that ffmpeg has made of segmented outputs."""

import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Final

import attrs

from hvcore_mediaconvert_local.encoding.encode_plan import OutputPlan
from hvcore_mediaconvert_local.encoding.encoder_arguments import (
    FACTS_PLAYLIST,
    INIT,
    MEDIA_PLAYLIST,
    SEGMENT,
)
from hvcore_mediaconvert_local.errors import JobFailedError

_URI: Final = re.compile(r'URI="([^"]+)"')
_MAP_RANGE: Final = re.compile(r'BYTERANGE="(\d+)@(\d+)"')
_CODECS: Final = re.compile(r'CODECS="([^"]*)"')
_RESOLUTION: Final = re.compile(r"RESOLUTION=(\d+)x(\d+)")


@attrs.frozen(kw_only=True)
class MadeSegment:
    """
    Describe a segment of a rendition.

    Attributes:
        name: The local name of the segment's file.
        offset_bytes: The segment's offset in the file; None if the segment is the file.
    """

    name: str
    duration_s: float
    size_bytes: int
    offset_bytes: int | None = None


@attrs.frozen(kw_only=True)
class LocalRendition:
    """
    Describe a finished rendition of a CMAF or HLS group.

    Attributes:
        base: The beginning of the final names of the rendition's files.
        folder: The folder with the local files.
        lines: The lines of the rendition's playlist, with the final names of its files.
        init_range: The offset and the size of the init segment in a single file; None
            if the init segment is a file.
        codecs: The codecs string, such as ``avc1.64000c,mp4a.40.2``.
    """

    output: OutputPlan
    base: str
    folder: Path
    lines: tuple[str, ...]
    segments: tuple[MadeSegment, ...]
    init_name: str
    init_range: tuple[int, int] | None
    codecs: str
    width_px: int | None
    height_px: int | None
    frame_rate: Fraction | None

    @property
    def duration_s(self) -> float:
        """The duration of the rendition in seconds."""
        return sum(one.duration_s for one in self.segments)

    @property
    def peak_bps(self) -> int:
        """
        The highest bitrate of a segment, in bit/s.

        Segments of less than half the longest duration do not count, such as the last one
        (RFC 8216, 4.3.4.2).
        """
        longest_s = max(one.duration_s for one in self.segments)
        return max(
            int(8 * one.size_bytes / max(one.duration_s, 0.001))
            for one in self.segments
            if one.duration_s >= longest_s / 2
        )

    @property
    def average_bps(self) -> int:
        """The bitrate of all segments together, in bit/s."""
        total = sum(one.size_bytes for one in self.segments)
        return int(8 * total / max(self.duration_s, 0.001))

    @property
    def playlist_name(self) -> str:
        """The final name of the rendition's playlist."""
        return f"{self.base}.m3u8"

    def files(self) -> list[tuple[Path, str]]:
        """Return the media files of the rendition, with their final names."""
        own = {FACTS_PLAYLIST, MEDIA_PLAYLIST}
        return [
            (path, file_name(path.name, self.base, self.output.segment_modifier))
            for path in sorted(self.folder.iterdir())
            if path.name not in own
        ]


def file_name(local: str, base: str, modifier: str) -> str:
    """
    Return the name of a rendition's file in the bucket, as MediaConvert names files.

    Args:
        local: The name that ffmpeg gave the file.
        base: The beginning of the output's file names.
        modifier: The segment modifier of the output, which stands before the number.
    """
    if local.startswith(INIT):
        return base + local
    rest = local.removeprefix(SEGMENT.rstrip("_"))
    return base + (modifier if rest.startswith("_") else "") + rest


def read_rendition(
    output: OutputPlan, base: str, folder: Path, source_rate: Fraction
) -> LocalRendition:
    """
    Return the rendition that ffmpeg made of an output, read from ffmpeg's playlists.

    Args:
        base: The beginning of the final names of the rendition's files.
        folder: The folder in which ffmpeg made the files.
        source_rate: The frame rate of the source.

    Raises:
        JobFailedError: ffmpeg made no segment.
    """
    listed = (folder / MEDIA_PLAYLIST).read_text(encoding="utf-8").splitlines()
    facts = (folder / FACTS_PLAYLIST).read_text(encoding="utf-8")
    segments, init = _segments(listed, folder)
    if not segments:
        raise JobFailedError(1999, "The encoder made no segment.")
    size = _RESOLUTION.search(facts)
    codecs = _CODECS.search(facts)
    return LocalRendition(
        output=output,
        base=base,
        folder=folder,
        lines=tuple(_renamed(line, base, output.segment_modifier) for line in listed),
        segments=segments,
        init_name=_URI.findall(init)[0] if init else "",
        init_range=_range_of(init),
        codecs=codecs[1] if codecs else "",
        width_px=int(size[1]) if size else None,
        height_px=int(size[2]) if size else None,
        frame_rate=(output.video.frame_rate or source_rate) if output.video else None,
    )


def _segments(
    listed: Sequence[str], folder: Path
) -> tuple[tuple[MadeSegment, ...], str]:
    found: list[MadeSegment] = []
    init, duration_s, part = "", 0.0, ("", "")
    for line in listed:
        tag, _, rest = line.partition(":")
        if tag == "#EXTINF":
            duration_s = float(rest.partition(",")[0])
        elif tag == "#EXT-X-BYTERANGE":
            size, _, offset = rest.partition("@")
            part = (size, offset)
        elif tag == "#EXT-X-MAP":
            init = rest
        elif line and not line.startswith("#"):
            size, offset = part
            found.append(
                MadeSegment(
                    name=line,
                    duration_s=duration_s,
                    size_bytes=int(size) if size else (folder / line).stat().st_size,
                    offset_bytes=int(offset) if offset else None,
                )
            )
    return tuple(found), init


def _range_of(init: str) -> tuple[int, int] | None:
    found = _MAP_RANGE.search(init)
    return (int(found[2]), int(found[1])) if found else None


def _renamed(line: str, base: str, modifier: str) -> str:
    if line.startswith("#EXT-X-MAP:"):
        return _URI.sub(
            lambda found: f'URI="{file_name(found[1], base, modifier)}"', line
        )
    if line and not line.startswith("#"):
        return file_name(line, base, modifier)
    return line
