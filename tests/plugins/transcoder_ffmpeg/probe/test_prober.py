"""
What is found out about sources, honest and hostile ones.
"""

import os
import socket
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from hvcore.plugin_api import (
    PixelFormat,
    SourceInfo,
    TranscodeError,
    Transcoder,
    UnusableSourceError,
)
from hvcore_transcoder_ffmpeg.engine.engine import FfmpegEngine
from hvcore_transcoder_ffmpeg.probe.prober import Prober
from hvcore_transcoder_ffmpeg.probe.video_report import pixel_format
from hvcore_transcoder_ffmpeg.sandbox.confinement import Sandbox
from tests.plugins.transcoder_ffmpeg.clips import ffmpeg, pattern
from tests.plugins.transcoder_ffmpeg.conftest import make_workspace

pytestmark = pytest.mark.services

Clip = Callable[[str], Path]
Probe = Callable[[Path], SourceInfo]


def test_a_plain_video_is_described(clip: Clip, probe: Probe) -> None:
    info = probe(clip("plain.mp4"))

    assert info.duration_s == pytest.approx(2.0, abs=0.05)
    assert info.size_bytes == clip("plain.mp4").stat().st_size
    assert info.container == "mov"
    assert (info.video.width_px, info.video.height_px) == (320, 180)
    assert info.video.frame_rate == 25
    assert info.video.pixel_format is PixelFormat.YUV420P
    assert info.video.codec == "h264"
    assert not info.video.is_hdr
    assert not info.video.is_interlaced
    assert [track.channels for track in info.audio] == [1]


def test_a_turned_video_has_the_shape_that_is_seen(clip: Clip, probe: Probe) -> None:
    info = probe(clip("turned.mp4"))

    assert (info.video.width_px, info.video.height_px) == (180, 320)


def test_oblong_pixels_are_made_square(clip: Clip, probe: Probe) -> None:
    info = probe(clip("anamorphic.mp4"))

    assert (info.video.width_px, info.video.height_px) == (524, 288)


def test_a_variable_rate_keeps_the_motion_of_its_clock(
    clip: Clip, probe: Probe
) -> None:
    info = probe(clip("uneven.mp4"))

    assert info.video.frame_rate == 30


def test_a_broadcast_rate_stays_exact(tmp_path: Path, probe: Probe) -> None:
    source = tmp_path / "ntsc.mkv"
    ffmpeg(*pattern("64x64", "24000/1001", 2), "-c:v", "libx264", source)

    assert probe(source).video.frame_rate == Fraction(24000, 1001)


def test_a_silent_video_has_no_audio_tracks(clip: Clip, probe: Probe) -> None:
    assert probe(clip("silent.mp4")).audio == ()


def test_the_default_language_comes_first(clip: Clip, probe: Probe) -> None:
    info = probe(clip("two-languages.mp4"))

    assert [(track.language, track.is_default) for track in info.audio] == [
        ("deu", True),
        ("eng", False),
    ]


def test_high_dynamic_range_and_depth_are_seen(clip: Clip, probe: Probe) -> None:
    info = probe(clip("hdr.mp4"))

    assert info.video.is_hdr
    assert info.video.pixel_format is PixelFormat.YUV420P10B


def test_two_pictures_ten_hours_apart_are_no_million(clip: Clip, probe: Probe) -> None:
    info = probe(clip("long-gap.mkv"))

    assert info.duration_s == pytest.approx(36_001, abs=1)
    assert info.video.frame_rate == 1


def test_fields_are_seen_and_counted_as_frames(clip: Clip, probe: Probe) -> None:
    info = probe(clip("interlaced.mp4"))

    assert info.video.is_interlaced
    assert info.video.frame_rate == 25


def test_a_damaged_sound_track_does_not_cost_the_video(
    clip: Clip, probe: Probe
) -> None:
    info = probe(clip("no-channels.mp4"))

    assert info.audio == ()
    assert info.duration_s == pytest.approx(2.0, abs=0.05)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("only-sound.mp4", "only audio"),
        ("cover-picture.mp4", "only audio"),
        ("no-index.mp4", "damaged or incomplete"),
        ("hardly-begun.mp4", "incomplete"),
    ],
)
def test_what_is_no_video_is_refused_with_its_reason(
    name: str, words: str, clip: Clip, probe: Probe
) -> None:
    with pytest.raises(UnusableSourceError, match=words) as refused:
        probe(clip(name))

    assert name.partition(".")[0] not in str(refused.value)
    assert "ffmpeg" not in str(refused.value).lower()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"Dear diary,\n", "not a video in a supported format"),
        (b"\x00\x00\x00\x18ftypisom" + bytes(64), "damaged"),
        (b"\x1a\x45\xdf\xa3" + b"\xff" * 64, "damaged"),
        (b"RIFF\x10\x00\x00\x00AVI " + bytes(64), "damaged"),
    ],
)
def test_a_file_that_only_looks_like_a_video_is_refused(
    content: bytes, words: str, tmp_path: Path, probe: Probe
) -> None:
    source = tmp_path / "upload.mp4"
    source.write_bytes(content)

    with pytest.raises(UnusableSourceError, match=words):
        probe(source)


@pytest.mark.parametrize(
    "template",
    [
        "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n{address}\n#EXT-X-ENDLIST\n",
        "#EXTM3U\n#EXTINF:1,\nfile:{path}\n",
        "ffconcat version 1.0\nfile {path}\n",
        "<MPD><Period><BaseURL>{path}</BaseURL></Period></MPD>",
        "\x00\x00\x00\x10ftypisom\x00\x00\x00\x00#EXTM3U\n#EXTINF:1,\n{path}\n",
    ],
)
def test_a_playlist_in_disguise_is_refused_and_opens_nothing(
    template: str, tmp_path: Path, transcoder: Transcoder
) -> None:
    """
    Opening the pipe would wait for ever, connecting would be seen.
    """
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    source = tmp_path / "upload.mp4"
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0)
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/a.ts"
        source.write_text(template.format(path=pipe, address=address))

        with pytest.raises(UnusableSourceError):
            transcoder.probe(make_workspace(source, tmp_path / "probe"))

        with pytest.raises(BlockingIOError):
            listener.accept()


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("yuv420p", "yuv420p"),
        ("yuvj422p", "yuv422p"),
        ("nv12", "yuv420p"),
        ("p010le", "yuv420p10b"),
        ("yuv422p10le", "yuv422p10b"),
        ("yuv444p12be", "yuv444p12b"),
        ("yuva444p16le", "yuv444p12b"),
        ("yuyv422", "yuv422p"),
        ("gbrp10le", "yuv444p10b"),
        ("rgb24", "yuv444p"),
        ("gray10le", "yuv420p10b"),
        ("yuv411p", "yuv420p"),
        ("", "yuv420p"),
    ],
)
def test_every_source_format_has_a_documented_one(name: str, wanted: str) -> None:
    assert pixel_format(name) is PixelFormat(wanted)


@pytest.mark.parametrize("broken", ["/bin/false", "/nonexistent"])
def test_a_fault_of_the_machine_is_not_blamed_on_the_file(
    clip: Clip, tmp_path: Path, broken: str
) -> None:
    program = Path("/usr/bin/ffprobe")
    engine = FfmpegEngine(ffmpeg=program, ffprobe=program, origin="")
    prober = Prober(engine, Sandbox(bwrap=broken))

    with pytest.raises(TranscodeError, match="could not be examined"):
        prober.probe(make_workspace(clip("plain.mp4"), tmp_path / "out"))
