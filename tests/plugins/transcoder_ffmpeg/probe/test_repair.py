"""
A video is shown although a track of its file cannot be opened.
"""

import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from hvcore.plugin_api import SourceInfo
from hvcore_transcoder_ffmpeg.probe import joins, notes
from hvcore_transcoder_ffmpeg.probe.container_pictures import read_container
from tests.plugins.transcoder_ffmpeg.clips import ffmpeg, pattern, tone
from tests.plugins.transcoder_ffmpeg.strange.sources import element, rebuilt

_CODECS = ("-c:v", "libx264", "-preset", "ultrafast", "-c:a", "libvorbis")
_CROP = element(0x54BB, b"\x0a") + element(0x54AA, b"\x0c")
"""Rows of a Matroska file at the top and at the bottom that are not shown."""


def _make(path: Path, seconds: float, *options: str) -> None:
    """Make a video with sound in front of its pictures."""
    inputs = [*tone(seconds), *pattern("160x90", "25", seconds)]
    ffmpeg(*inputs, "-map", "0", "-map", "1", *_CODECS, *options, path)


def _damaged(data: bytes) -> bytes:
    """Return a file whose sound no decoder can be opened for."""
    setup = b"\x05vorbis"
    assert setup in data
    return data.replace(setup, b"\x05-------"[: len(setup)])


def _box(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I4s", 8 + len(content), kind) + content


def test_tracks_of_a_copied_mp4_are_found_by_their_places_in_the_source(
    tmp_path: Path,
) -> None:
    clap = _box(b"clap", struct.pack(">8I", 160, 1, 68, 1, 0, 1, 0, 1))
    entry = bytes(24) + struct.pack(">HH", 160, 90) + bytes(50) + clap
    table = _box(b"stbl", _box(b"stsd", bytes(8) + _box(b"avc1", entry)))
    media = _box(b"mdia", _box(b"minf", table))
    tracks = [
        _box(
            b"trak", _box(b"tkhd", bytes(12) + struct.pack(">I", n) + bytes(68)) + more
        )
        for n, more in ((1, b""), (2, media))
    ]
    source = tmp_path / "source.mp4"
    source.write_bytes(_box(b"moov", b"".join(tracks)))

    pictures = read_container(source, "mov")

    assert pictures.of("0x2", 1).crop.top_px == 11
    assert pictures.of("0x1", 0).crop.top_px == 0
    assert pictures.of_copy((1, 0)).of("0x1", 0).crop.top_px == 11


@pytest.mark.services
def test_pictures_beside_a_track_that_cannot_be_opened_are_cropped(
    probe: Callable[[Path], SourceInfo], tmp_path: Path
) -> None:
    source = tmp_path / "source.mkv"
    _make(source, 1, "-live", "1")
    source.write_bytes(_damaged(rebuilt(source.read_bytes(), _CROP)))

    info = probe(source)

    streams = notes.read(info.notes)
    assert streams is not None
    assert streams.lacks_tracks
    assert (info.video.width_px, info.video.height_px) == (160, 68)
    assert info.video.stream_index == 1


@pytest.mark.services
def test_recordings_beside_a_track_that_cannot_be_opened_are_warned_of(
    probe: Callable[[Path], SourceInfo], tmp_path: Path
) -> None:
    """
    More times go back than the end of the copying ffmpeg's log has room for.
    """
    part, source = tmp_path / "part.mkv", tmp_path / "source.mkv"
    _make(part, 8)
    source.write_bytes(_damaged(part.read_bytes()) * 2)

    info = probe(source)

    streams = notes.read(info.notes)
    assert streams is not None
    assert streams.lacks_tracks
    assert joins.INCOMPLETE in streams.warnings
    assert info.video.stream_index == 1
