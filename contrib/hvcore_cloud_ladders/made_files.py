"""
Facts in an init segment, and in the head of a media segment.

Source: ISO/IEC 14496-12, section 8.8; ISO/IEC 23000-19 (CMAF), section 7.3; RFC 6381,
section 3.3.
"""

from typing import Final

import attrs

from hvcore.plugin_api import Mp4Box, Mp4Error, VideoRange, box_of

HEAD_BYTES: Final = 16 * 1024
"""Of a segment: more than the boxes before the media of six seconds have."""
_MEDIA_HEADER_BYTES: Final = 16
"""The longest that an mdat has."""
_VISUAL_ENTRY_BYTES: Final = 78
_AUDIO_ENTRY_BYTES: Final = 28
_STSD_FIELDS_BYTES: Final = 8
_RANGES: Final = {16: VideoRange.PQ, 18: VideoRange.HLG}
"""By code point of the transfer function (ITU-T H.273, table 3)."""
_ES_TAG: Final = 0x03
_CONFIG_TAG: Final = 0x04
_SPECIFIC_TAG: Final = 0x05
_AUDIO_ESCAPE: Final = 31
_RUN: Final = "trun"  # codespell:ignore trun
_RUN_COLUMNS: Final = (0x100, 0x200, 0x400, 0x800)


@attrs.frozen(kw_only=True)
class InitFacts:
    """
    The facts about a track that its init segment tells.

    Attributes:
        codecs: The codec as CODECS attributes name it (RFC 6381).
        timescale: The number of time units in a second.
        default_duration: The duration of a sample that tells none, in time units.
        default_size: The bytes of a sample that tells no size.
    """

    codecs: str
    timescale: int
    default_duration: int
    default_size: int
    video_range: VideoRange = VideoRange.SDR


@attrs.frozen(kw_only=True)
class SegmentFacts:
    """
    The duration of a media segment, and where in its file the first sample ends.

    Attributes:
        first_sample_bytes: The bytes from the file's beginning to the end of its first
            sample.
    """

    duration_s: float
    first_sample_bytes: int


def read_init(data: bytes) -> InitFacts:
    """
    Return codec, timescale and other facts of a track from its init segment.

    Raises:
        Mp4Error: The bytes are no init segment.
    """
    movie = box_of(data, is_forgiving=True).child("moov")
    media = movie.child("trak/mdia")
    header = media.child("mdhd")
    (version,) = header.fields("B")
    (timescale,) = header.fields("I", 20 if version else 12)
    if not timescale:
        raise Mp4Error("mdhd has no timescale")
    defaults = movie.child("mvex/trex").fields("6I")
    entries = list(media.child("minf/stbl/stsd").children(_STSD_FIELDS_BYTES))
    if len(entries) != 1:
        raise Mp4Error(f"{len(entries)} sample entries")
    codecs, video_range = _codecs(entries[0])
    return InitFacts(
        codecs=codecs,
        timescale=timescale,
        default_duration=defaults[3],
        default_size=defaults[4],
        video_range=video_range,
    )


def bytes_needed(head: bytes, size_bytes: int) -> int:
    """
    Return the number of a segment's first bytes that read_segment needs.

    Args:
        head: The first bytes of the segment, which were read before.
        size_bytes: The size of the whole segment.

    Raises:
        Mp4Error: No moof box begins within ``head``.
    """
    moof = box_of(head, size_bytes=size_bytes, is_forgiving=True).child("moof")
    return min(moof.end + _MEDIA_HEADER_BYTES, size_bytes)


def read_segment(head: bytes, size_bytes: int, init: InitFacts) -> SegmentFacts:
    """
    Return the duration of a media segment, and the end of its first sample, from its head.

    Args:
        head: The first bytes of the segment, as many as ``bytes_needed`` says.
        size_bytes: The size of the whole segment.

    Raises:
        Mp4Error: The file is no segment, or not of the size that its boxes say.
    """
    file = box_of(head, size_bytes=size_bytes, is_forgiving=True)
    moof, media = file.child("moof"), file.child("mdat")
    if media.end != size_bytes or media.start < moof.end:
        raise Mp4Error("a segment is not one moof with one mdat behind it")
    duration, first_bytes = _run(moof.child("traf"), init)
    if not duration or not first_bytes:
        raise Mp4Error("a segment has no samples")
    return SegmentFacts(
        duration_s=duration / init.timescale,
        first_sample_bytes=media.start + first_bytes,
    )


def _run(track: Mp4Box, init: InitFacts) -> tuple[int, int]:
    """Return the duration of all samples, and the size of the first."""
    header = track.child("tfhd")
    (flags,) = header.fields("I")
    offset = 8 + (8 if flags & 0x1 else 0) + (4 if flags & 0x2 else 0)
    defaults = [init.default_duration, init.default_size]
    for number, bit in enumerate((0x8, 0x10)):
        if flags & bit:
            (defaults[number],) = header.fields("I", offset)
            offset += 4
    duration = first_bytes = 0
    for run in track.children():
        if run.kind != _RUN:
            continue
        flags, count = run.fields("II")
        offset = 8 + (4 if flags & 0x1 else 0) + (4 if flags & 0x4 else 0)
        columns = [bit for bit in _RUN_COLUMNS if flags & bit]
        table = run.fields(f"{count * len(columns)}I", offset)
        own = {bit: table[n :: len(columns)] for n, bit in enumerate(columns)}
        duration += sum(own.get(0x100, ())) or count * defaults[0]
        if not first_bytes and count:
            first_bytes = own.get(0x200, (defaults[1],))[0]
    return duration, first_bytes


def _codecs(entry: Mp4Box) -> tuple[str, VideoRange]:
    if entry.kind in {"avc1", "avc3"}:
        _, profile, compatible, level = entry.child("avcC", _VISUAL_ENTRY_BYTES).fields(
            "4B"
        )
        name = f"{entry.kind}.{profile:02X}{compatible:02X}{level:02X}"
        return name, _range(entry)
    if entry.kind == "mp4a":
        return _mpeg_audio(entry.child("esds", _AUDIO_ENTRY_BYTES)), VideoRange.SDR
    if entry.kind in {"ac-3", "ec-3"}:
        return entry.kind, VideoRange.SDR
    raise Mp4Error(f"sample entry {entry.kind!r}")


def _range(entry: Mp4Box) -> VideoRange:
    for box in entry.children(_VISUAL_ENTRY_BYTES):
        if box.kind == "colr" and box.content(0, 4) == b"nclx":
            (transfer,) = box.fields("H", 6)
            return _RANGES.get(transfer, VideoRange.SDR)
    return VideoRange.SDR


def _mpeg_audio(table: Mp4Box) -> str:
    content = table.content(4)
    at, kind = 0, 0
    while at + 2 <= len(content):
        tag, at = content[at], at + 1
        length, at = _length(content, at)
        if tag == _ES_TAG:
            at += 3
        elif tag == _CONFIG_TAG:
            kind, at = content[at], at + 13
        elif tag == _SPECIFIC_TAG and length >= 2:  # noqa: PLR2004 - the shortest one
            profile = content[at] >> 3
            if profile == _AUDIO_ESCAPE:
                profile = 32 + ((content[at] & 7) << 3 | content[at + 1] >> 5)
            return f"mp4a.{kind:02x}.{profile}"
        else:
            at += length
    raise Mp4Error("esds has no AudioSpecificConfig")


def _length(content: bytes, at: int) -> tuple[int, int]:
    length = 0
    while at < len(content):
        byte, at = content[at], at + 1
        length = length << 7 | byte & 0x7F
        if not byte & 0x80:
            break
    return length, at
