"""
Write the sequence numbers and decode times of a part's segments for their place in the whole video.

ffmpeg begins each part with decode time 0 and sequence number 1. In the joined stream
both must rise from part to part, so this module overwrites them in the files.

Source: ISO/IEC 14496-12, sections 8.8.5 (mfhd) and 8.8.12 (tfdt).
"""

import struct
from pathlib import Path
from typing import Final

from hvcore.plugin_api import Mp4Error, box_of
from hvcore_transcoder_ffmpeg.encode.commands import INIT_FILE
from hvcore_transcoder_ffmpeg.encode.measure import segment_numbers
from hvcore_transcoder_ffmpeg.encode.spans import Span
from hvcore_transcoder_ffmpeg.mp4.fragments import read_init

_FLAGS_BYTES: Final = 4
"""The size of version and flags, with which both boxes begin."""


def place_rung(folder: Path, span: Span) -> None:
    """
    Renumber all segments of a rung for their place in the video; call it once.

    Args:
        folder: The folder of the rung.

    Raises:
        Mp4Error: A file has not the form that this transcoder makes.
        OSError: A file cannot be read or written.
    """
    timescale = read_init(folder / INIT_FILE).timescale
    offset = span.first_frame * timescale / span.frame_rate
    if offset.denominator != 1:
        raise Mp4Error(f"{timescale} cannot count {span.frame_rate} frames a second")
    for number in segment_numbers(folder, span.first_segment):
        renumber(
            folder / f"{number}.m4s",
            sequence=number + 1,
            decode_offset=offset.numerator,
        )


def renumber(path: Path, *, sequence: int, decode_offset: int) -> None:
    """
    Write the sequence number of a segment, and add an offset to its decode time.

    Args:
        sequence: The sequence number, counted over the whole track from 1.
        decode_offset: The number to add to the decode time, in the track's timescale.

    Raises:
        Mp4Error: The file has not the form that this transcoder makes.
        OSError: The file cannot be read or written.
    """
    moof = box_of(path.read_bytes()).child("moof")
    header, base = moof.child("mfhd"), moof.child("traf/tfdt")
    header.fields("I", _FLAGS_BYTES)
    (version,) = base.fields("B")
    form = "Q" if version else "I"
    (decode_time,) = base.fields(form, _FLAGS_BYTES)
    try:
        numbers_by_offset = {
            header.start: struct.pack(">I", sequence),
            base.start: struct.pack(">" + form, decode_time + decode_offset),
        }
    except struct.error as exc:
        raise Mp4Error(f"{sequence} or {decode_offset} does not fit") from exc
    with path.open("r+b") as file:
        for start, number in numbers_by_offset.items():
            file.seek(start + _FLAGS_BYTES)
            file.write(number)
