"""
What the headers of sources say, wherever they lie; hostile ones are refused.
"""

import random
import subprocess
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import attrs
import pytest

from hvcore.plugin_api import UnusableSourceError
from hvcore_cloud_ladders.source_checks import (
    NO_LENGTH,
    NO_VIDEO,
    ONLY_AUDIO,
    TOO_LARGE,
)
from hvcore_transcoder_google.source_probe import NOT_MP4, is_turned, probe_source

pytestmark = pytest.mark.services


@attrs.define
class BytesOfSource:
    """
    A source in memory; counts what is read.
    """

    data: bytes
    size_bytes: int = attrs.field(init=False)
    read_bytes: int = 0

    def __attrs_post_init__(self) -> None:
        self.size_bytes = len(self.data)

    def read(self, start: int, length: int) -> bytes:
        found = self.data[start : start + length]
        self.read_bytes += len(found)
        return found


def made(folder: Path, *arguments: str, name: str = "clip.mp4") -> BytesOfSource:
    target = folder / name
    command = ["ffmpeg", "-v", "error", "-nostdin", "-y", *arguments, str(target)]
    subprocess.run(command, check=True, timeout=60)
    return BytesOfSource(target.read_bytes())


def pictures(
    size: str = "320x180", rate: str = "30", seconds: float = 2
) -> Sequence[str]:
    return "-f", "lavfi", "-i", f"testsrc2=s={size}:r={rate}:d={seconds}"


def tone(channels: str = "mono", seconds: float = 2) -> Sequence[str]:
    return "-f", "lavfi", "-i", f"anullsrc=cl={channels}:r=48000:d={seconds}"


H264 = ("-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p")


def test_a_phone_video_is_read_by_its_headers(tmp_path: Path) -> None:
    source = made(
        tmp_path,
        *pictures(rate="30000/1001"),
        *tone("stereo"),
        *(*H264, "-c:a", "aac", "-metadata:s:a:0", "language=fra"),
    )

    found = probe_source(source).info

    assert found.duration_s == pytest.approx(2, abs=0.04)
    assert found.size_bytes == len(source.data)
    video = found.video
    assert (video.width_px, video.height_px) == (320, 180)
    assert video.frame_rate == Fraction(30000, 1001)
    assert (video.codec, video.is_hdr, video.is_interlaced) == ("h264", False, False)
    (audio,) = found.audio
    assert (audio.stream_index, audio.channels, audio.language) == (1, 2, "fra")
    assert audio.codec == "aac"


def test_little_is_read_of_a_long_source(tmp_path: Path) -> None:
    for flags in ("+faststart", "0"):
        source = made(
            tmp_path, *pictures(seconds=8), *H264, "-b:v", "8M", "-movflags", flags
        )

        probe_source(source)

        assert source.read_bytes < 2000 < len(source.data)


def test_a_turned_video_has_the_size_that_viewers_see(tmp_path: Path) -> None:
    flat = made(tmp_path, *pictures(), *H264)
    turned = made(
        tmp_path,
        *("-i", str(tmp_path / "clip.mp4"), "-c", "copy"),
        *("-metadata:s:v:0", "rotate=90"),
        name="turned.mov",
    )

    found = probe_source(turned)

    assert found.is_turned
    assert (found.info.video.width_px, found.info.video.height_px) == (180, 320)
    assert (is_turned(flat), is_turned(turned)) == (False, True)


def test_pixels_that_are_no_squares_are_counted_as_shown(tmp_path: Path) -> None:
    source = made(tmp_path, *pictures("240x180"), "-vf", "setsar=4/3", *H264)

    video = probe_source(source).info.video

    assert (video.width_px, video.height_px) == (320, 180)


def test_light_and_fields_are_told(tmp_path: Path) -> None:
    source = made(
        tmp_path,
        *pictures(),
        *(
            "-c:v",
            "libx265",
            "-x265-params",
            "log-level=none",
            "-pix_fmt",
            "yuv420p10le",
        ),
        *("-color_primaries", "bt2020", "-color_trc", "smpte2084"),
        *("-colorspace", "bt2020nc", "-tag:v", "hvc1", "-movflags", "+write_colr"),
    )
    fields = made(
        tmp_path,
        *pictures("720x576", "25"),
        *("-c:v", "mpeg2video", "-flags", "+ilme+ildct", "-field_order", "tt"),
        *("-vf", "setfield=tff"),
        name="fields.mov",
    )

    video = probe_source(source).info.video

    assert (video.is_hdr, video.codec) == (True, "hevc")
    assert probe_source(fields).info.video.is_interlaced


@pytest.mark.parametrize(
    ("arguments", "name", "words"),
    [
        ((*tone(), "-c:a", "aac"), "sound.m4a", ONLY_AUDIO),
        ((*pictures(), *H264), "film.mkv", NOT_MP4),
        (
            (*pictures(), *H264, "-movflags", "+empty_moov+frag_keyframe"),
            "pieces.mp4",
            NO_LENGTH,
        ),
        ((*pictures("20000x16", seconds=0.1), "-c:v", "mjpeg"), "wide.mov", TOO_LARGE),
    ],
    ids=["sound", "matroska", "fragments", "wide"],
)
def test_what_cannot_be_made_is_refused_with_what_to_do(
    tmp_path: Path, arguments: Sequence[str], name: str, words: str
) -> None:
    source = made(tmp_path, *arguments, name=name)

    with pytest.raises(UnusableSourceError) as refused:
        probe_source(source)

    assert str(refused.value) == words


@pytest.mark.parametrize("data", [b"", b"\0" * 100, b"RIFF....AVI LIST" * 10])
def test_what_is_no_file_of_boxes_is_refused(data: bytes) -> None:
    with pytest.raises(UnusableSourceError, match="no MP4"):
        probe_source(BytesOfSource(data))
    assert not is_turned(BytesOfSource(data))


def test_damaged_headers_are_refused_and_nothing_else_happens(tmp_path: Path) -> None:
    whole = made(
        tmp_path, *pictures(seconds=0.2), *H264, "-movflags", "+faststart"
    ).data
    chance = random.Random(7)  # noqa: S311 - damage need not be secret
    headers = whole.index(b"mdat")
    read, refused = 0, 0
    for _ in range(2000):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 8)):
            data[chance.randrange(headers)] = chance.randrange(256)
        source = BytesOfSource(bytes(data[: chance.randint(headers // 2, len(data))]))
        try:
            probe_source(source)
            read += 1
        except UnusableSourceError:
            refused += 1
        # Nothing misleads it into reading all over the file.
        assert source.read_bytes < 100_000

    assert read > 0
    assert refused > 0


def test_a_movie_without_tracks_has_no_video() -> None:
    source = BytesOfSource(b"\0\0\0\x08moov")

    with pytest.raises(UnusableSourceError) as refused:
        probe_source(source)

    assert str(refused.value) == NO_VIDEO
