"""
Read one media segment: its times, its samples, its first picture.

Source: ISO/IEC 14496-12, section 8.8; ISO/IEC 23000-19 (CMAF), section 7.3.
"""

import hashlib
from pathlib import Path
from typing import Final

import attrs

from hvcore.plugin_api import MediaFile, Mp4Box, Mp4Error, box_of
from hvcore_transcoder_ffmpeg.mp4.codec_strings import SampleEntry, read_sample_entry

_BRAND: Final = b"cmfc"
_NON_SYNC: Final = 0x10000
_AVC_IDR: Final = 5
_HEVC_IDR: Final = (19, 20)
_FIRST_SLICE: Final = {"avc1": range(1, 6), "hvc1": range(32)}


@attrs.frozen(kw_only=True)
class InitSegment:
    """
    Hold the facts about a track in its init segment.

    Attributes:
        file: The description of the init segment's file.
        entry: The codec and the picture format of the track's samples.
        timescale: The number of time units in a second.
        default_duration: The duration of a sample that tells none, in time units.
        default_flags: The flags of a sample that tells none.
    """

    file: MediaFile
    entry: SampleEntry
    timescale: int
    default_duration: int
    default_flags: int


@attrs.frozen(kw_only=True)
class Fragment:
    """
    Hold the times and sizes of a media segment's samples, in the track's timescale.

    Attributes:
        decode_time: The decode time of the first sample.
        duration: The sum of the durations of all samples.
        first_offset: The time from decoding to showing the first sample.
        starts_clean: Whether a player can begin at this segment: it begins with a key
            frame before which nothing is needed.
        sample_durations: The different durations of all samples but the last.
        last_duration: The duration of the last sample.
        first_picture_bytes: The bytes from the file's beginning to the end of the first
            sample; None for audio.
    """

    file: MediaFile
    decode_time: int
    duration: int
    first_offset: int
    starts_clean: bool
    sample_durations: frozenset[int]
    last_duration: int
    first_picture_bytes: int | None


def read_init(path: Path) -> InitSegment:
    """
    Return the facts about a track in its init segment.

    Raises:
        Mp4Error: The file has not the form that this transcoder makes.
        OSError: The file cannot be read.
    """
    data = path.read_bytes()
    file = box_of(data)
    if _BRAND not in file.child("ftyp").content():
        raise Mp4Error("the brand cmfc is missing")
    movie = file.child("moov")
    track = movie.child("trak")
    if track.find("edts") is not None:
        raise Mp4Error("there is an edit list")
    header = track.child("mdia/mdhd")
    (version,) = header.fields("B")
    (timescale,) = header.fields("I", 20 if version else 12)
    extends = movie.child("mvex/trex").fields("6I")
    if timescale == 0:
        raise Mp4Error("mdhd has no timescale")
    return InitSegment(
        file=_measured(data),
        entry=read_sample_entry(track.child("mdia/minf/stbl/stsd")),
        timescale=timescale,
        default_duration=extends[3],
        default_flags=extends[5],
    )


def read_fragment(path: Path, init: InitSegment) -> Fragment:
    """
    Return the times and sizes of a media segment's samples.

    Raises:
        Mp4Error: The file has not the form that this transcoder makes.
        OSError: The file cannot be read.
    """
    data = path.read_bytes()
    boxes = list(box_of(data).children())
    moofs = [(n, box) for n, box in enumerate(boxes) if box.kind == "moof"]
    if len(moofs) != 1:
        raise Mp4Error(f"{len(moofs)} fragments in one segment")
    number, moof = moofs[0]
    if number + 1 >= len(boxes) or boxes[number + 1].kind != "mdat":
        raise Mp4Error("no mdat behind the moof")
    traf = moof.child("traf")
    base = traf.child("tfdt")
    (version,) = base.fields("B")
    (decode_time,) = base.fields("Q" if version else "I", 4)
    run = _Run.read(traf, init)
    media = boxes[number + 1]
    if run.data_bytes != media.end - media.start:
        raise Mp4Error("the samples do not fill the mdat")
    is_video = init.entry.nal_length_bytes > 0
    return Fragment(
        file=_measured(data),
        decode_time=decode_time,
        duration=run.duration,
        first_offset=run.first_offset,
        starts_clean=not run.first_flags & _NON_SYNC
        and _begins_with_idr(media, init.entry),
        sample_durations=run.sample_durations,
        last_duration=run.last_duration,
        first_picture_bytes=media.start + run.first_bytes if is_video else None,
    )


def _measured(data: bytes) -> MediaFile:
    return MediaFile(size_bytes=len(data), sha256=hashlib.sha256(data).hexdigest())


@attrs.frozen(kw_only=True)
class _Run:
    """Hold the sums over the samples of a fragment, and the facts about its first sample."""

    duration: int
    data_bytes: int
    first_bytes: int
    first_flags: int
    first_offset: int
    sample_durations: frozenset[int]
    last_duration: int

    @classmethod
    def read(cls, traf: Mp4Box, init: InitSegment) -> "_Run":
        """Add up the samples of a track fragment that has a single run."""
        defaults = _defaults(traf.child("tfhd"), init)
        run = traf.child("trun")  # codespell:ignore trun
        flags, count = run.fields("II")
        is_signed = bool(flags >> 24)
        flags &= 0xFFFFFF
        offset = 8 + (4 if flags & 0x1 else 0)
        first_flags = defaults.flags
        if flags & 0x4:
            (first_flags,) = run.fields("I", offset)
            offset += 4
        present = [bit for bit in (0x100, 0x200, 0x400, 0x800) if flags & bit]
        width = len(present)
        table = run.fields(f"{count * width}I", offset)
        column = {bit: table[n::width] for n, bit in enumerate(present)}
        if 0x400 in column and count:  # noqa: PLR2004 - trun's flags are spelled out
            first_flags = column[0x400][0]
        composition = column.get(0x800, (0,))[0] if count else 0
        if is_signed and composition >= 1 << 31:
            composition -= 1 << 32
        durations = column.get(0x100, (defaults.duration,) * count)
        sizes = column.get(0x200, (defaults.size,) * count)
        return cls(
            duration=sum(durations),
            data_bytes=sum(sizes),
            first_bytes=sizes[0] if sizes else 0,
            first_flags=first_flags,
            first_offset=composition,
            sample_durations=frozenset(durations[:-1]),
            last_duration=durations[-1] if durations else 0,
        )


@attrs.frozen
class _Defaults:
    """The defaults for samples of a fragment that have no values of their own."""

    duration: int
    size: int
    flags: int


def _defaults(header: Mp4Box, init: InitSegment) -> _Defaults:
    (flags,) = header.fields("I")
    flags &= 0xFFFFFF
    offset = 8 + (8 if flags & 0x1 else 0) + (4 if flags & 0x2 else 0)
    values = [init.default_duration, 0, init.default_flags]
    for number, bit in enumerate((0x8, 0x10, 0x20)):
        if flags & bit:
            (values[number],) = header.fields("I", offset)
            offset += 4
    return _Defaults(*values)


def _begins_with_idr(media: Mp4Box, entry: SampleEntry) -> bool:
    width = entry.nal_length_bytes
    if not width:
        # Every frame of audio can be decoded on its own.
        return True
    is_avc = entry.codecs.startswith("avc1")
    at, size = 0, media.end - media.start
    while at + width < size:
        begin = media.content(at, width + 1)
        length, header = int.from_bytes(begin[:width], "big"), begin[width]
        kind = header & 0x1F if is_avc else header >> 1 & 0x3F
        if kind in _FIRST_SLICE["avc1" if is_avc else "hvc1"]:
            return kind == _AVC_IDR if is_avc else kind in _HEVC_IDR
        at += width + length
    return False
