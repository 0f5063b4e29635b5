"""
What init segments and heads of segments say, with files that ffmpeg has made.
"""

import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from hvcore.plugin_api import Mp4Error, VideoRange, box_of
from hvcore_cloud_ladders.made_files import (
    HEAD_BYTES,
    bytes_needed,
    read_init,
    read_segment,
)

pytestmark = pytest.mark.services

PICTURES = ("-f", "lavfi", "-i", "testsrc2=s=320x180:r=30:d=4")
TONE = ("-f", "lavfi", "-i", "anullsrc=cl=stereo:r=48000:d=4")
H264 = ("-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p")
BT2020 = ("-colorspace", "bt2020nc", "-color_primaries", "bt2020")


def made(folder: Path, *arguments: str) -> tuple[bytes, bytes]:
    """
    Make one init segment and one segment of four seconds.
    """
    command = ["ffmpeg", "-v", "error", "-nostdin", "-y", *arguments]
    command += ["-f", "hls", "-hls_time", "9", "-hls_segment_type", "fmp4"]
    command += ["-hls_segment_options", "movflags=+cmaf+write_colr"]
    command += ["-hls_fmp4_init_filename", "init.mp4"]
    command += ["-hls_segment_filename", str(folder / "%d.m4s"), str(folder / "a.m3u8")]
    subprocess.run(command, check=True, timeout=60)
    return (folder / "init.mp4").read_bytes(), (folder / "0.m4s").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "codecs", "shown"),
    [
        ((*PICTURES, *H264), "avc1.", VideoRange.SDR),
        (
            (*PICTURES, *H264, *BT2020, "-color_trc", "smpte2084"),
            "avc1.",
            VideoRange.PQ,
        ),
        (
            (*PICTURES, *H264, *BT2020, "-color_trc", "arib-std-b67"),
            "avc1.",
            VideoRange.HLG,
        ),
        ((*TONE, "-c:a", "aac"), "mp4a.40.2", VideoRange.SDR),
        ((*TONE, "-c:a", "ac3"), "ac-3", VideoRange.SDR),
        ((*TONE, "-c:a", "eac3"), "ec-3", VideoRange.SDR),
    ],
    ids=["sdr", "pq", "hlg", "aac", "ac3", "eac3"],
)
def test_codec_light_and_length_are_what_was_encoded(
    tmp_path: Path, arguments: Sequence[str], codecs: str, shown: VideoRange
) -> None:
    data, segment = made(tmp_path, *arguments)

    init = read_init(data)
    head = segment[: bytes_needed(segment[:HEAD_BYTES], len(segment))]
    facts = read_segment(head, len(segment), init)

    assert init.codecs.startswith(codecs)
    assert init.video_range is shown
    assert facts.duration_s == pytest.approx(4, abs=0.05)
    assert 0 < facts.first_sample_bytes < len(segment)


def test_other_codecs_are_refused_by_name(tmp_path: Path) -> None:
    data, _ = made(
        tmp_path, *PICTURES, "-c:v", "libx265", "-x265-params", "log-level=none"
    )

    with pytest.raises(Mp4Error, match="hev1"):
        read_init(data)


def test_damage_is_found_and_nothing_else_happens(tmp_path: Path) -> None:
    data, segment = made(tmp_path, *PICTURES, *H264)
    init = read_init(data)

    for at in range(len(data)):
        try:
            read_init(data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :])
        except Mp4Error:
            continue
    for at in range(bytes_needed(segment, len(segment))):
        broken = segment[:at] + bytes([segment[at] ^ 0xFF]) + segment[at + 1 :]
        try:
            read_segment(broken[:HEAD_BYTES], len(segment), init)
        except Mp4Error:
            continue


def test_a_box_may_have_its_size_in_64_bits() -> None:
    data = struct.pack(">I4sQ", 1, b"free", 20) + b"abcd"

    (box,) = box_of(data, is_forgiving=True).children()

    assert (box.kind, box.start, box.end) == ("free", 16, 20)


@pytest.mark.parametrize(
    "data",
    [
        struct.pack(">I4s", 4, b"free"),
        struct.pack(">I4s", 99, b"free") + b"abcd",
        struct.pack(">I4s", 16, b"moov") + struct.pack(">I4s", 24, b"trak"),
    ],
)
def test_a_box_that_does_not_fit_is_refused(data: bytes) -> None:
    with pytest.raises(Mp4Error, match="wrong size"):
        box_of(data, is_forgiving=True).child("moov/trak")
