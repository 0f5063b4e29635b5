"""
The sound of what was published, as transcribers get it.
"""

import wave
from array import array
from collections.abc import Callable
from pathlib import Path

import pytest

from hvcore.plugin_api import (
    SOUND_RATE_HZ,
    BuildContext,
    SoundSpan,
    SupportsSound,
    Transcoder,
    Workspace,
)
from hvcore.testing.transcoder_sound import SoundConformance
from hvcore_transcoder_ffmpeg.options import FfmpegOptions
from hvcore_transcoder_ffmpeg.plugin import build
from tests.plugins.transcoder_ffmpeg.clips import ffmpeg, pattern
from tests.plugins.transcoder_ffmpeg.conftest import Encoded, make_workspace

pytestmark = pytest.mark.services

_ON = "between(mod(t,1),0.4,0.6)"
_STEP_S = 0.02


@pytest.fixture(scope="module")
def beeps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """
    A clip of 14 s that beeps once a second, at 0.4 s, on the right side alone.
    """
    path = tmp_path_factory.mktemp("beeps") / "beeps.mp4"
    beep = f"aevalsrc='0|{_ON}*sin(2*PI*1000*t)':s=48000:d=14"
    ffmpeg(
        *pattern("160x90", "25", 14),
        *("-f", "lavfi", "-i", beep, "-c:v", "libx264", "-preset", "ultrafast"),
        *("-c:a", "aac", path),
    )
    return path


def segments(made: Encoded, *numbers: int) -> bytes:
    track = next(one for one in made.done.tracks if one.rung is None)
    names = ["init.m4s", *(f"{number}.m4s" for number in numbers)]
    return b"".join((made.folder / track.name / name).read_bytes() for name in names)


def heard(
    transcoder: Transcoder, source: bytes, span: SoundSpan, folder: Path
) -> "array[int]":
    assert isinstance(transcoder, SupportsSound)
    path = folder / "segments.mp4"
    path.write_bytes(source)
    workspace = make_workspace(path, folder / "out")

    made = transcoder.sound(workspace, span)

    assert made.parent == workspace.folder.resolve()
    with wave.open(str(made), "rb") as sound:
        assert (sound.getnchannels(), sound.getsampwidth()) == (1, 2)
        assert sound.getframerate() == SOUND_RATE_HZ
        return array("h", sound.readframes(sound.getnframes()))


def beeps_at_s(samples: "array[int]") -> list[float]:
    loud = [n for n, sample in enumerate(samples) if abs(sample) > 3000]
    firsts = [n for n, last in zip(loud, [-9999, *loud], strict=False) if n - last > 99]
    return [n / SOUND_RATE_HZ for n in firsts]


def test_a_span_of_the_sound_has_its_times_and_its_length(
    transcoder: Transcoder,
    encode: Callable[..., Encoded],
    beeps: Path,
    tmp_path: Path,
) -> None:
    made = encode(beeps)

    # From 8 to 13 s of the video.
    span = SoundSpan(start_s=2.0, duration_s=5.0)
    found = heard(transcoder, segments(made, 1, 2), span, tmp_path)

    assert len(found) == 5 * SOUND_RATE_HZ
    times = beeps_at_s(found)
    assert times == pytest.approx([0.4, 1.4, 2.4, 3.4, 4.4], abs=_STEP_S)


class TestSound(SoundConformance):
    """
    The sound of the transcoder with ffmpeg keeps the promises of the kit.
    """

    @pytest.fixture
    def transcoder(self, context: BuildContext) -> Transcoder:
        return build(FfmpegOptions(), context)

    @pytest.fixture
    def workspace(self, beeps: Path, tmp_path: Path) -> Workspace:
        return make_workspace(beeps, tmp_path / "work")
