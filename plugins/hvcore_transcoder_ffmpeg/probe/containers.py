"""
Restrict the containers and the codecs that ffmpeg may open.

ffmpeg would take a playlist for a video and follow it to other files. So the container is
recognised by its first bytes here, and ffmpeg may use only its demuxer and a list of
decoders.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final

from hvcore.plugin_api import MAX_SOURCE_STREAMS, Mp4Error, UnusableSourceError, box_of
from hvcore_transcoder_ffmpeg.probe.ebml import count_segments
from hvcore_transcoder_ffmpeg.reasons import EMPTY, ENCRYPTED, NOT_A_VIDEO, PICTURE

_MOV_BOXES: Final = frozenset(
    {b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip", b"pnot", b"styp"}
)
"""The boxes with which a file of the MP4 and QuickTime family may begin."""

_EBML: Final = b"\x1a\x45\xdf\xa3"
_HEAD_BYTES: Final = 64

_PICTURE_BRANDS: Final = frozenset({b"avif", b"heic", b"heix", b"mif1"})
"""The MP4 brands of photos from phones, which ffmpeg would take for a video of one
frame."""

_LOCKED_ENTRIES: Final = frozenset({"encv", "drmi"})
_ABOVE_ENTRIES: Final = frozenset({"trak", "mdia", "minf", "stbl", "stsd"})
_ENTRIES_BEGIN_AT: Final = 8
"""The offset of the entries in a sample description table (``stsd``): behind version, flags
and the number of entries."""
_MAX_BOXES: Final = 100_000
"""The most boxes that are passed in search of a file's index: a fragmented file of 24
hours has as many."""
_MAX_MOVIE_BYTES: Final = 64 * 1024**2

MAX_OPENED_STREAMS: Final = 8 * MAX_SOURCE_STREAMS
"""The most streams that ffmpeg's demuxer opens. Attached fonts and pictures count as
streams, and films have many; the demuxer leaves out the last streams, behind the tracks."""

_VIDEO_DECODERS: Final = (
    # AV1 goes by the decoder's name, libdav1d.
    "libdav1d,av1,dnxhd,dvvideo,ffv1,h263,h264,hevc,mjpeg,mpeg1video,mpeg2video,"
    "mpeg4,msmpeg4v2,msmpeg4,prores,rawvideo,vp8,vp9"
)
_AUDIO_DECODERS: Final = (
    "aac,ac3,adpcm_ima_wav,adpcm_ms,alac,amrnb,amrwb,dca,eac3,flac,mp2float,mp2,"
    "mp3float,mp3,opus,libopus,truehd,vorbis,wmav1,wmav2,"
    "pcm_alaw,pcm_bluray,pcm_f32be,pcm_f32le,pcm_f64be,pcm_f64le,pcm_mulaw,"
    "pcm_s16be,pcm_s16le,pcm_s24be,pcm_s24le,pcm_s32be,pcm_s32le,pcm_s8,pcm_u8"
)
_OTHER_DECODERS: Final = (
    # Never decoded, but ffprobe refuses the whole file where it cannot open
    # the decoder of a subtitle or of a cover picture.
    "dvbsub,dvdsub,pgssub,cc_dec,png,bmp"
)
CAPTION_CODECS: Final = ("mov_text", "subrip", "srt", "ass", "ssa", "webvtt", "text")
"""The codecs of subtitles that are texts, by all names that ffprobe uses."""
CAPTION_DECODERS: Final = ",".join(CAPTION_CODECS)

ENCODE_DECODERS: Final = f"{_VIDEO_DECODERS},{_AUDIO_DECODERS}"
PROBE_DECODERS: Final = f"{ENCODE_DECODERS},{CAPTION_DECODERS},{_OTHER_DECODERS}"


def sniff_container(source: Path) -> str:
    """
    Return the name of ffmpeg's demuxer for a file, from its first bytes.

    Returns:
        The name of ffmpeg's demuxer: ``mov``, ``matroska`` or ``avi``.

    Raises:
        UnusableSourceError: The file is empty, a photo, or of another container.
    """
    with source.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    if not head:
        raise UnusableSourceError(EMPTY)
    if head[4:8] == b"ftyp" and head[8:12] in _PICTURE_BRANDS:
        raise UnusableSourceError(PICTURE)
    if head[4:8] in _MOV_BOXES:
        return "mov"
    if head.startswith(_EBML):
        return "matroska"
    if head.startswith(b"RIFF") and head[8:12] == b"AVI ":
        return "avi"
    raise UnusableSourceError(NOT_A_VIDEO)


def require_unlocked(source: Path) -> None:
    """
    Raise UnusableSourceError if the pictures of an MP4 are encrypted.

    Raises:
        UnusableSourceError: The pictures are encrypted.
    """
    with source.open("rb") as file:
        movie = read_movie(file)
    if any(kind in _LOCKED_ENTRIES for kind in _sample_entries(movie)):
        raise UnusableSourceError(ENCRYPTED)


def _sample_entries(movie: bytes) -> Iterator[str]:
    """Yield the kinds (four letters) of all tracks' sample entries that can be read."""
    pending = [box_of(movie, kind="moov")]
    left = _MAX_BOXES
    while pending:
        box = pending.pop()
        is_list = box.kind == "stsd"
        children = box.children(_ENTRIES_BEGIN_AT if is_list else 0)
        # Of a damaged index, whatever comes before the damage.
        with suppress(Mp4Error):
            for child in islice(children, left):
                left -= 1
                if is_list:
                    yield child.kind
                elif child.kind in _ABOVE_ENTRIES:
                    pending.append(child)


def read_movie(file: BinaryIO) -> bytes:
    """Return the content of an MP4's index (``moov``), or no bytes if it is not found."""
    for start, end in islice(_movies(file), 1):
        file.seek(start)
        return file.read(max(0, min(end - start, _MAX_MOVIE_BYTES)))
    return b""


def count_recordings(source: Path, container: str) -> int:
    """Return the number of recordings that follow one another in a file; at least 1."""
    with source.open("rb") as file:
        if container == "mov":
            return max(1, sum(1 for _ in _movies(file)))
        return max(1, count_segments(file)) if container == "matroska" else 1


def _movies(file: BinaryIO) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of the content of each index of an mp4."""
    at, end = 0, os.fstat(file.fileno()).st_size
    for _ in range(_MAX_BOXES):
        if at >= end:
            break
        file.seek(at)
        head = file.read(16)
        length, header_bytes = int.from_bytes(head[:4], "big"), 8
        if length == 1:
            length, header_bytes = int.from_bytes(head[8:], "big"), 16
        if head[4:8] == b"moov":
            yield at + header_bytes, at + (length or end)
        if length < len(b"sizekind"):
            break
        at += length


def input_options(source: Path, container: str, decoders: str) -> list[str]:
    """Return the ffmpeg arguments that open a source by one demuxer and listed decoders."""
    return [
        # A container may name other addresses and files; none but a local
        # file is opened, and the sandbox shows just this one.
        "-protocol_whitelist",
        "file",
        # No probing: what the first bytes say is what it is read as.
        "-f",
        container,
        # Holds for containers inside containers, too.
        "-format_whitelist",
        container,
        # A few dozen decoders can be attacked instead of five hundred.
        "-codec_whitelist",
        decoders,
        # "file:" keeps a name such as "concat:…" from being a protocol.
        "-i",
        f"file:{source}",
    ]
