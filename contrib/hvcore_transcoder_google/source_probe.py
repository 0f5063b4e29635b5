"""
Probe a source by the headers of its file: the Transcoder API cannot probe.

Only MP4 and MOV files are read.
"""

from fractions import Fraction
from typing import Final

import attrs

from hvcore.plugin_api import (
    AudioTrackInfo,
    ByteRanges,
    Mp4Box,
    Mp4Error,
    PixelFormat,
    ReadingBudget,
    SourceInfo,
    UnusableSourceError,
    VideoTrackInfo,
    box_around,
)
from hvcore_cloud_ladders.source_checks import (
    DOLBY_VISION,
    NO_LENGTH,
    NO_VIDEO,
    ONLY_AUDIO,
    check_duration,
    check_size,
    check_tracks,
    usable_frame_rate,
)

NOT_MP4: Final = (
    "The file is no MP4 or MOV file that can be read. Convert it to MP4 with H.264 video "
    "and AAC sound, and upload it again."
)
_ALONE_PROFILE: Final = 5
_HDR: Final = frozenset({16, 18})
"""The code points of the transfer functions PQ and HLG (ITU-T H.273, table 3)."""
_VISUAL_ENTRY_BYTES: Final = 78
_FULL_BOX_BYTES: Final = 4
_ENTRIES_AT: Final = 8
_FIXED: Final = 65536
_FIELDS_BOX: Final = "fiel"  # codespell:ignore fiel
_FIELDS_OF_A_FRAME: Final = 2
_CODECS: Final = {
    "avc1": "h264",
    "avc3": "h264",
    "hvc1": "hevc",
    "hev1": "hevc",
    "dvh1": "hevc",
    "dvhe": "hevc",
    "av01": "av1",
    "vp09": "vp9",
    "mp4v": "mpeg4",
    "mp4a": "aac",
    "ac-3": "ac3",
    "ec-3": "eac3",
}


@attrs.frozen(kw_only=True)
class ProbedSource:
    """
    Hold the facts about a source that the headers of its file tell.

    Attributes:
        is_turned: Whether the pictures are shown turned by 90 or 270 degrees. Width and
            height in ``info`` are those after the turn.
    """

    info: SourceInfo
    is_turned: bool


def probe_source(source: ByteRanges) -> ProbedSource:
    """
    Return the facts about a source, read from the headers of its MP4 or MOV file.

    Raises:
        UnusableSourceError: The source cannot be made into a video.
        UnavailableError: The source cannot be read now.
    """
    try:
        return _probed(source)
    except Mp4Error as exc:
        raise UnusableSourceError(NOT_MP4) from exc


def _movie_of(source: ByteRanges) -> Mp4Box:
    file = box_around(source, budget=ReadingBudget(), is_forgiving=True)
    return file.child("moov")


def _probed(source: ByteRanges) -> ProbedSource:
    movie = _movie_of(source)
    tracks = [box for box in movie.children() if box.kind == "trak"]
    check_tracks(len(tracks))
    kinds = [_kind_of(track) for track in tracks]
    sounds = [n for n, kind in enumerate(kinds) if kind == "soun"]
    if "vide" not in kinds:
        raise UnusableSourceError(ONLY_AUDIO if sounds else NO_VIDEO)
    number = kinds.index("vide")
    duration_s = _duration_s(tracks[number])
    check_duration(duration_s)
    info = SourceInfo(
        duration_s=round(float(duration_s), 6),
        size_bytes=source.size_bytes,
        container="mov",
        video=_video(tracks[number], number, duration_s),
        audio=tuple(_audio(tracks[one], one) for one in sounds),
    )
    return ProbedSource(info=info, is_turned=_is_turned(tracks[number]))


def _kind_of(track: Mp4Box) -> str:
    (kind,) = track.child("mdia/hdlr").fields("I", 8)
    return kind.to_bytes(4, "big").decode("latin-1")


def _duration_s(track: Mp4Box) -> Fraction:
    header = track.child("mdia/mdhd")
    (version,) = header.fields("B")
    timescale, duration = (
        header.fields("IQ", 20) if version else header.fields("II", 12)
    )
    return Fraction(duration, timescale) if timescale else Fraction(0)


def _video(track: Mp4Box, number: int, duration_s: Fraction) -> VideoTrackInfo:
    entry = _entry(track)
    width_px, height_px = _size(track, entry)
    rate = _frame_rate(track, duration_s)
    boxes = {box.kind: box for box in entry.children(_VISUAL_ENTRY_BYTES)}
    for name in ("dvcC", "dvvC"):
        if name in boxes and boxes[name].fields("B", 2)[0] >> 1 == _ALONE_PROFILE:
            raise UnusableSourceError(DOLBY_VISION)
    fields, colr = boxes.get(_FIELDS_BOX), boxes.get("colr")
    return VideoTrackInfo(
        stream_index=number,
        width_px=width_px,
        height_px=height_px,
        frame_rate=rate,
        # The one that the Transcoder API has a profile for.
        pixel_format=PixelFormat.YUV420P,
        codec=_CODECS.get(entry.kind, entry.kind.strip().lower()),
        is_hdr=colr is not None and _transfer(colr) in _HDR,
        is_interlaced=fields is not None
        and fields.fields("B") == (_FIELDS_OF_A_FRAME,),
    )


def _entry(track: Mp4Box) -> Mp4Box:
    entry = next(track.child("mdia/minf/stbl/stsd").children(_ENTRIES_AT), None)
    if entry is None:
        raise Mp4Error("stsd is empty")
    return entry


def _size(track: Mp4Box, entry: Mp4Box) -> tuple[int, int]:
    """Return the size of the pictures that a viewer sees, after rotation."""
    header = track.child("tkhd")
    (version,) = header.fields("B")
    width, height = (
        round(one / _FIXED) for one in header.fields("II", 88 if version else 76)
    )
    if not width or not height:
        width, height = entry.fields("HH", 24)
    if not width or not height:
        raise UnusableSourceError(NO_VIDEO)
    check_size(width, height)
    return (height, width) if _is_turned(track) else (width, height)


def _is_turned(track: Mp4Box) -> bool:
    header = track.child("tkhd")
    (version,) = header.fields("B")
    matrix = header.fields("9i", 52 if version else 40)
    return not matrix[0] and not matrix[4] and bool(matrix[1]) and bool(matrix[3])


def _frame_rate(track: Mp4Box, duration_s: Fraction) -> Fraction:
    _, count = track.child("mdia/minf/stbl/stsz").fields("II", _FULL_BOX_BYTES)
    if not count:
        # Of a fragmented file, whose frames are told nowhere.
        raise UnusableSourceError(NO_LENGTH)
    return usable_frame_rate(count / duration_s)


def _transfer(colour: Mp4Box) -> int:
    kind, _, transfer = colour.fields("IHH")
    return transfer if kind.to_bytes(4, "big") in {b"nclx", b"nclc"} else 0


def _audio(track: Mp4Box, number: int) -> AudioTrackInfo:
    entry = _entry(track)
    (version,) = entry.fields("H", 8)
    (channels,) = entry.fields("H", 16)
    (rate,) = entry.fields("I", 24)
    rate_hz = rate // _FIXED
    if version == 2:  # noqa: PLR2004 - of QuickTime's sound description
        (channels,), rate_hz = entry.fields("I", 40), 48_000
    return AudioTrackInfo(
        stream_index=number,
        channels=max(1, channels),
        sample_rate_hz=rate_hz or 48_000,
        codec=_CODECS.get(entry.kind, entry.kind.strip().lower()),
        language=_language(track),
    )


def _language(track: Mp4Box) -> str:
    header = track.child("mdia/mdhd")
    (version,) = header.fields("B")
    (packed,) = header.fields("H", 32 if version else 20)
    letters = [(packed >> shift & 31) + 0x60 for shift in (10, 5, 0)]
    told = "".join(map(chr, letters))
    return told if told.isalpha() and told != "und" else ""


def is_turned(source: ByteRanges) -> bool:
    """
    Return whether the pictures of a source are shown turned by 90 or 270 degrees.

    The function returns False for a file that is no MP4 or MOV: files of other kinds
    hardly ever tell a rotation.

    Raises:
        UnavailableError: The source cannot be read now.
    """
    try:
        for track in _movie_of(source).children():
            if track.kind == "trak" and _kind_of(track) == "vide":
                return _is_turned(track)
    except Mp4Error:
        return False
    return False
