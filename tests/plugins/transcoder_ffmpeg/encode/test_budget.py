"""
Bitrates are what the ladder's table says, and never more than players expect.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from hvcore.plugin_api import (
    AudioCodec,
    PixelFormat,
    Preset,
    RateControl,
    Speed,
    Track,
    Transcoder,
)
from tests.plugins.transcoder_ffmpeg.clips import ffmpeg, pattern
from tests.plugins.transcoder_ffmpeg.ordinary import ordinary
from tests.plugins.transcoder_ffmpeg.playing import complaints, joined
from tests.plugins.transcoder_ffmpeg.publishing import publish

pytestmark = pytest.mark.services

_PUBLISHED_KBPS: Final = {
    (Preset.STANDARD, "640x360"): {"360p": 500},
    (Preset.STANDARD, "854x480"): {"360p": 500, "480p": 1000},
    (Preset.STANDARD, "1280x720"): {"360p": 500, "480p": 1000, "720p": 2500},
    (Preset.HIGH, "1920x1080"): {"480p": 1000, "720p": 2500, "1080p": 5000},
    (Preset.ULTRA, "1920x1080"): {"720p": 2000, "1080p": 5000},
    (Preset.ULTRA, "3840x2160"): {
        "720p": 2000,
        "1080p": 5000,
        "1440p": 9000,
        "2160p": 15000,
    },
}
"""Interface, quality presets, and decisions on what each rung gets."""

_DAILY: Final = "640x360"
"""One size is enough for each day."""

_CAP: Final = 1.5
_BUFFER_S: Final = 2.0
_FAST: Final = ("-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac")


def _kbps(tracks: list[Track]) -> dict[str, float]:
    return {
        track.name.removeprefix("video/"): sum(
            segment.file.size_bytes for segment in track.segments
        )
        * 8
        / 1000
        / sum(segment.duration_s for segment in track.segments)
        for track in tracks
    }


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """
    Gives ordinary content of a size; each clip is made once.
    """
    folder = tmp_path_factory.mktemp("ordinary")

    def give(size: str) -> Path:
        path = folder / f"{size}.mp4"
        # Of a shorter one the encoder uses less: it has not had the time to catch up.
        return path if path.exists() else ordinary(path, size=size, seconds=24)

    return give


def _cases() -> list[object]:
    cases = []
    for preset, size in _PUBLISHED_KBPS:
        for way in ("variable", "two-pass", "constant"):
            name = f"{preset.value}-{size}-{way}"
            is_daily = size == _DAILY and way == "variable"
            marks = [] if is_daily else [pytest.mark.long]
            cases.append(pytest.param(preset, size, way, id=name, marks=marks))
    return cases


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("preset", "size", "way"), _cases())
def test_ordinary_content_has_the_bitrate_of_its_rung(  # noqa: PLR0913 - fixtures
    *,
    preset: Preset,
    size: str,
    way: str,
    scene: Callable[[str], Path],
    transcoder: Transcoder,
    tmp_path: Path,
) -> None:
    control = RateControl.CONSTANT if way == "constant" else RateControl.VARIABLE
    made = publish(
        transcoder,
        scene(size),
        tmp_path,
        preset=preset,
        rate_control=control,
        two_pass=way == "two-pass",
    )

    assert _kbps(list(made.tracks)) == {
        rung: pytest.approx(kbps, rel=0.1)
        for rung, kbps in _PUBLISHED_KBPS[preset, size].items()
    }
    if control is RateControl.CONSTANT:
        for track in made.tracks:
            parts = [
                s.file.size_bytes * 8 / 1000 / s.duration_s for s in track.segments
            ]
            assert parts == [pytest.approx(track.rung.video_kbps, rel=0.1)] * len(parts)


@pytest.mark.long
@pytest.mark.parametrize("speed", list(Speed))
def test_every_speed_keeps_the_bitrate(
    speed: Speed, scene: Callable[[str], Path], transcoder: Transcoder, tmp_path: Path
) -> None:
    made = publish(transcoder, scene("640x360"), tmp_path, speed=speed)

    assert _kbps(list(made.tracks)) == {"360p": pytest.approx(500, rel=0.1)}


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("two_pass", [False, True])
@pytest.mark.parametrize("control", list(RateControl))
@pytest.mark.parametrize(
    "wanted", [one for one in PixelFormat if one is not PixelFormat.AUTO_DETECT]
)
def test_every_pixel_format_keeps_the_bitrate(  # noqa: PLR0913 - fixtures
    *,
    wanted: PixelFormat,
    control: RateControl,
    two_pass: bool,
    scene: Callable[[str], Path],
    transcoder: Transcoder,
    tmp_path: Path,
) -> None:
    made = publish(
        transcoder,
        scene("640x360"),
        tmp_path,
        pixel_format=wanted,
        rate_control=control,
        two_pass=two_pass,
    )

    assert _kbps(list(made.tracks)) == {"360p": pytest.approx(500, rel=0.1)}


@pytest.mark.parametrize(
    "wanted",
    [
        PixelFormat.YUV420P,
        pytest.param(PixelFormat.YUV420P10B, marks=pytest.mark.long),
        pytest.param(PixelFormat.YUV420P12B, marks=pytest.mark.long),
    ],
)
def test_no_segment_of_hard_content_breaks_the_cap(
    wanted: PixelFormat, transcoder: Transcoder, tmp_path: Path
) -> None:
    source = tmp_path / "source.mp4"
    # A test picture, and in the middle six seconds of nothing but noise.
    storm = "noise=alls=100:allf=t:enable='between(t,6,12)'"
    ffmpeg(*pattern("320x180", "25", 18), "-vf", storm, *_FAST, source)

    made = publish(transcoder, source, tmp_path / "job", pixel_format=wanted)

    (track,) = made.tracks
    kbits = [segment.file.size_bytes * 8 / 1000 for segment in track.segments]
    # What the decoder's buffer held before a segment may come on top.
    assert max(kbits) <= 500 * (_CAP * 6 + _BUFFER_S)
    assert kbits[1] > 500 * 6 * 1.2
    assert complaints(joined(made.folder, track)) == ""


def test_easy_content_takes_less_than_its_rung_may(
    transcoder: Transcoder, tmp_path: Path
) -> None:
    source = tmp_path / "source.mp4"
    still = "color=gray:size=320x180:rate=25:duration=8"
    ffmpeg("-f", "lavfi", "-i", still, *_FAST, source)

    made = publish(transcoder, source, tmp_path / "job")

    assert _kbps(list(made.tracks))["180p"] < 100


@pytest.mark.parametrize(
    ("codec", "preset", "channels", "kbps"),
    [
        (AudioCodec.AAC, Preset.STANDARD, 2, 96),
        (AudioCodec.AC3, Preset.HIGH, 6, 256),
        *(
            pytest.param(*row, marks=pytest.mark.long)
            for row in (
                (AudioCodec.AAC, Preset.HIGH, 2, 128),
                (AudioCodec.AAC, Preset.ULTRA, 2, 192),
                (AudioCodec.AAC, Preset.HIGH, 1, 64),
                (AudioCodec.MP3, Preset.HIGH, 2, 128),
                (AudioCodec.EAC3, Preset.HIGH, 6, 256),
                (AudioCodec.EAC3, Preset.ULTRA, 2, 192),
            )
        ),
    ],
)
def test_sound_has_the_bitrate_of_its_preset(  # noqa: PLR0913 - fixtures
    *,
    codec: AudioCodec,
    preset: Preset,
    channels: int,
    kbps: int,
    transcoder: Transcoder,
    tmp_path: Path,
) -> None:
    source = tmp_path / "source.mkv"
    voices = "|".join(
        f"0.3*sin(2*PI*(200+{n}00*t)*t)+0.1*random({n})" for n in range(channels)
    )
    sound = f"aevalsrc='{voices}':duration=6.2:sample_rate=48000"
    quiet = [*pattern("64x64", "5", 6.2), "-f", "lavfi", "-i", sound]
    ffmpeg(*quiet, "-c:v", "libx264", "-c:a", "pcm_s16le", source)

    made = publish(
        transcoder, source, tmp_path / "job", preset=preset, audio_codec=codec
    )

    track = next(track for track in made.tracks if track.audio)
    assert _kbps([track])["audio"] == pytest.approx(kbps, rel=0.1)
