"""
Sound that is lost, repeated, late or of odd channels, by every ffmpeg that is found.
"""

from array import array
from collections.abc import Sequence
from itertools import chain, pairwise
from pathlib import Path

import pytest

from hvcore.plugin_api import Part, PartDone, Speed, Transcoder
from hvcore_transcoder_ffmpeg.engine.binaries import find_candidates
from hvcore_transcoder_ffmpeg.options import FfmpegOptions
from hvcore_transcoder_ffmpeg.plugin import build
from hvcore_transcoder_ffmpeg.reasons import SOUND_LEFT_OUT, TRACK_LEFT_OUT
from tests.plugins.transcoder_ffmpeg.clips import ffmpeg, tone
from tests.plugins.transcoder_ffmpeg.conftest import (
    make_context,
    make_order,
    make_workspace,
)
from tests.plugins.transcoder_ffmpeg.playing import brightness, decoded, joined, samples
from tests.plugins.transcoder_ffmpeg.publishing import Published, publish
from tests.plugins.transcoder_ffmpeg.strange.sources import AAC, X264, picture

pytestmark = pytest.mark.services

_RATE = 48_000
_STEP_S = 0.02
"""Half of what viewers notice (EBU R37)."""
_FAST: dict[str, object] = {"max_edge_px": 240, "speed": Speed.ULTRAFAST}


@pytest.fixture(scope="module", params=["PATH", "Python packages"])
def transcoder(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Transcoder:
    """
    The backend with the distribution's ffmpeg, and with that of the wheels.
    """
    found = [one for one in find_candidates() if one.origin == request.param]
    assert found, f"no ffmpeg in {request.param}"
    options = FfmpegOptions(ffmpeg=found[0].ffmpeg, ffprobe=found[0].ffprobe)
    return build(options, make_context(tmp_path_factory.mktemp("machine")))


# By 20 ms at most, but for the first packet, to which all others relate.
_JITTER = "asetpts='PTS+1920*(random(0)-0.5)*gt(N,0)'"


def _begins(levels: Sequence[int], above: int, *, pause: int) -> list[int]:
    """
    Return where it gets loud, or bright, after a pause.
    """
    found, last = [], -pause
    for number, level in enumerate(levels):
        if abs(level) > above:
            if number - last >= pause:
                found.append(number)
            last = number
    return found


def _apart_s(made: Published) -> list[float]:
    """
    Return how far each beep is from its flash.
    """
    pictures, sound = (joined(made.folder, made.tracks[n]) for n in (0, 1))
    flashes = [n / 25 for n in _begins(brightness(pictures), 128, pause=5)]
    beeps = [n / _RATE for n in _begins(samples(sound), 3000, pause=_RATE // 4)]
    assert len(flashes) == len(beeps)
    return [beep - flash for flash, beep in zip(flashes, beeps, strict=True)]


def _flashes_and_beeps(path: Path, *, beeps_at: str, times: str, seconds: int) -> None:
    """
    Write a video that flashes and beeps once a second, at 0.4 s.

    Args:
        beeps_at: The time, as a function of that of a sample.
        times: What becomes of the packets, of 20 ms each, and of their times.
    """
    # Half a picture earlier, pictures are not on the edge: the first one is at 0.4 s.
    flash, on = "between(mod(t,1),0.38,0.58)", f"between(mod({beeps_at},1),0.4,0.6)"
    video = f"color=black:size=160x90:rate=25:duration={seconds},drawbox=color=white"
    video += f":thickness=fill:enable='{flash}'"
    beep = f"aevalsrc='{on}*sin(2*PI*1000*t)':s={_RATE}:d={seconds}"
    sound = ["-af", f"asetnsamples=960,{times}", "-c:a", "pcm_s16le"]
    ffmpeg("-f", "lavfi", "-i", video, "-f", "lavfi", "-i", beep, *X264, *sound, path)


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    ("beeps_at", "times"),
    [
        ("t", "aselect='not(between(t,1.7,1.785))'"),
        ("t", "aselect='not(between(t,1.7,1.73))'"),
        (
            "t-0.1*gt(t,1.9)",
            "asetpts='if(lt(T,1.7),T,if(lt(T,1.9),1.7+(T-1.7)/2,T-0.1))/TB'",
        ),
        ("t*1.004", "asetpts=PTS*1.004"),
        ("t*0.996", "asetpts=PTS*0.996"),
        ("t", _JITTER),
    ],
    ids=["lost", "lost-a-little", "repeated", "slow", "fast", "uneven"],
)
def test_sound_stays_in_step_with_the_picture(
    beeps_at: str, times: str, tmp_path: Path, transcoder: Transcoder
) -> None:
    source = tmp_path / "source.mkv"
    _flashes_and_beeps(source, beeps_at=beeps_at, times=times, seconds=8)

    made = publish(transcoder, source, tmp_path / "job", **_FAST)

    apart_s = _apart_s(made)
    assert len(apart_s) == 8
    assert max(map(abs, apart_s)) <= _STEP_S
    assert made.report().is_conformant


def test_times_that_jitter_make_no_clicks(
    tmp_path: Path, transcoder: Transcoder
) -> None:
    source = tmp_path / "source.mkv"
    hum = "aevalsrc='0.5*sin(2*PI*100*t)':s=48000:d=6"
    sound = ["-f", "lavfi", "-i", hum, "-af", f"asetnsamples=960,{_JITTER}"]
    ffmpeg(*picture(seconds=6), *sound, *X264, "-c:a", "pcm_s16le", source)

    made = publish(transcoder, source, tmp_path / "job", **_FAST)

    # Behind the first second, in which the encoder finds its rate.
    heard = samples(joined(made.folder, made.tracks[1]))[_RATE : 5 * _RATE]
    # A hum of that loudness rises by 215 from sample to sample.
    assert max(abs(one - other) for one, other in pairwise(heard)) < 600


def _with_sounds(path: Path, *sounds: list[str], options: Sequence[str]) -> None:
    """
    Write a second of pictures, with these sounds.
    """
    maps = [text for n in range(len(sounds) + 1) for text in ("-map", str(n))]
    ffmpeg(*picture(), *chain.from_iterable(sounds), *maps, *X264, *options, path)


def _tones(*hertz: int, layout: str) -> list[str]:
    """
    Return ffmpeg's arguments for a tone in each channel; 0 for silence.
    """
    tones = "|".join(f"0.5*sin({one}*2*PI*t)" for one in hertz)
    return ["-f", "lavfi", "-i", f"aevalsrc='{tones}':c='{layout}':s={_RATE}:d=1"]


def _loudness(made: Published, number: int = 1) -> list[float]:
    """
    Return the peaks of left and right, 1 for the loudest there is.
    """
    path = joined(made.folder, made.tracks[number])
    both = array("h", decoded(path, "-ac", "2", "-f", "s16le"))
    middle = both[len(both) // 4 * 2 : len(both) // 4 * 3]
    return [max(map(abs, middle[ear::2])) / 32768 for ear in (0, 1)]


_AMBISONIC = ("mkv", "-c:a", "libopus", "-mapping_family", "2", "-b:a", "256k")
_FLAC = ("mkv", "-c:a", "flac")
_PCM = ("mov", "-c:a", "pcm_s16le")


@pytest.mark.cases(3)
@pytest.mark.parametrize(
    ("sound", "loudness"),
    [
        # From the left: as much pressure as there is direction.
        (((500, 500, 0, 0), "4.0", _AMBISONIC), (0.5, 0)),
        (((500, 0, 0, 500), "4.0", _AMBISONIC), (0.25, 0.25)),
        (((0, 0, 0, 0, 500, 0), "5.1", _AMBISONIC), (0.25, 0)),
        (((500, 70), "FL+LFE", _PCM), (0.5, 0.5)),
        (((500, 0, 500), "FL+FC+BR", _FLAC), (0.25, 0.25)),
        (((500, 0), "BL+BR", _FLAC), (0.5, 0)),
    ],
    ids=["left", "front", "and-music", "subwoofer", "uneven", "behind"],
)
def test_sound_that_ffmpeg_cannot_mix_is_mixed_channel_by_channel(
    sound: tuple[tuple[int, ...], str, Sequence[str]],
    loudness: tuple[float, float],
    tmp_path: Path,
    transcoder: Transcoder,
) -> None:
    hertz, layout, (ending, *codec) = sound
    source = tmp_path / f"source.{ending}"
    _with_sounds(source, _tones(*hertz, layout=layout), options=codec)

    made = publish(transcoder, source, tmp_path / "job", **_FAST)

    assert _loudness(made) == pytest.approx(loudness, abs=0.03)
    assert made.warnings == ()
    assert made.report().is_conformant


def test_an_odd_second_track_takes_nothing_from_the_first(
    tmp_path: Path, transcoder: Transcoder
) -> None:
    source = tmp_path / "source.mov"
    sounds = (_tones(500, layout="mono"), _tones(500, 70, layout="FL+LFE"))
    _with_sounds(source, *sounds, options=("-c:a", "pcm_s16le"))

    made = publish(transcoder, source, tmp_path / "job", **_FAST)

    audio = [track.audio for track in made.tracks if track.audio]
    assert [(one.name, one.channels) for one in audio] == [("audio", 1), ("audio-1", 2)]
    assert _loudness(made, 2) == pytest.approx((0.5, 0.5), abs=0.03)


@pytest.fixture(scope="module")
def changing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """
    A source as broadcasts have it: stereo, then surround, and a second language.
    """
    folder = tmp_path_factory.mktemp("changing")
    parts = []
    for layout, count in (("stereo", 2), ("5.1", 6)):
        part = folder / f"{layout}.mkv"
        sounds = (_tones(*[500] * count, layout=layout), _tones(600, layout="mono"))
        _with_sounds(part, *sounds, options=("-c:a", "ac3"))
        parts.append(f"file '{part}'\n")
    (folder / "list.txt").write_text("".join(parts))
    source = folder / "source.mkv"
    listed = ("-f", "concat", "-safe", "0", "-i", folder / "list.txt")
    ffmpeg(*listed, "-map", "0", "-c", "copy", source)
    return source


def test_sound_that_changes_does_not_cost_the_sound_beside_it(
    changing: Path, tmp_path: Path, transcoder: Transcoder
) -> None:
    made = publish(transcoder, changing, tmp_path / "job", **_FAST)

    audio = [track.audio for track in made.tracks if track.audio]
    assert [(one.name, one.is_default) for one in audio] == [("audio-1", True)]
    assert made.warnings == (SOUND_LEFT_OUT,)
    assert made.report().is_conformant


def test_a_part_of_sound_says_what_it_left_out(
    changing: Path, tmp_path: Path, transcoder: Transcoder
) -> None:
    workspace = make_workspace(changing, tmp_path / "job")
    order = make_order(transcoder.probe(workspace))

    done = transcoder.run(Part(index=0, order=order, has_pictures=False), workspace)

    assert isinstance(done, PartDone)
    assert [track.name for track in done.tracks] == ["audio-1"]
    assert done.left_out == ("audio",)
    assert {path.name for path in workspace.folder.iterdir()} == {"audio-1"}


def test_attachments_are_no_tracks(tmp_path: Path, transcoder: Transcoder) -> None:
    font, source = tmp_path / "font.ttf", tmp_path / "source.mkv"
    font.write_bytes(bytes(range(256)))
    attached: list[str | Path] = []
    for number in range(35):
        attached += ["-attach", font, f"-metadata:s:t:{number}"]
        attached += ["mimetype=application/x-truetype-font"]
    ffmpeg(*picture(), *tone(1), *X264, *AAC, *attached, source)

    made = publish(transcoder, source, tmp_path / "job", **_FAST)

    assert len(made.tracks) == 2
    assert made.warnings == ()


_WAVPACK = ("-c:a", "wavpack")


def _marked(starts_s: float) -> list[str]:
    """
    Return ffmpeg's arguments for 4 s of pictures, which become white at 2 s.
    """
    white = "drawbox=color=white:thickness=fill:enable='gte(t,1.98)'"
    black = f"color=black:size=160x90:rate=25:duration=4,{white}"
    return ["-itsoffset", f"{starts_s}", "-f", "lavfi", "-i", black]


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    ("picture_s", "sound_s"), [(0, 0), (5, 5), (1.6, 0), (4, 0), (0, 1)]
)
def test_a_track_that_cannot_be_opened_shifts_no_other(
    picture_s: float, sound_s: float, tmp_path: Path, transcoder: Transcoder
) -> None:
    text, source = tmp_path / "text.srt", tmp_path / "source.mkv"
    text.write_text("1\n00:00:02,000 --> 00:00:03,000\nNow it is white.\n")
    captions: list[str | Path] = ["-itsoffset", f"{picture_s}", "-i", text]
    late = ["-itsoffset", f"{sound_s}", *tone(4)]
    kept = ["-fps_mode", "passthrough", "-c:s", "srt"]
    maps = ["-map", "0", "-map", "1", "-map", "2"]
    ffmpeg(
        *_marked(picture_s), *late, *captions, *maps, *X264, *_WAVPACK, *kept, source
    )

    made = publish(transcoder, source, tmp_path / "job", **_FAST)

    pictures = brightness(joined(made.folder, made.tracks[0]))
    assert len(made.tracks) == 1
    assert (_begins(pictures, 128, pause=5), len(pictures)) == ([50], 100)
    assert "00:00:02.000 --> 00:00:03.000" in _captions(tmp_path / "job")
    assert made.warnings == (TRACK_LEFT_OUT,)


def test_a_track_that_cannot_be_opened_leaves_sound_in_step(
    tmp_path: Path, transcoder: Transcoder
) -> None:
    source = tmp_path / "source.mkv"
    beep = "aevalsrc='gte(t,2)*sin(2*PI*1000*t)':s=48000:d=4"
    sound = ["-itsoffset", "1.6", "-f", "lavfi", "-i", beep, *tone(5.6)]
    codecs = ["-c:a:0", "pcm_s16le", "-c:a:1", "wavpack", "-fps_mode", "passthrough"]
    maps = ["-map", "0", "-map", "1", "-map", "2"]
    ffmpeg(*_marked(1.6), *sound, *maps, *X264, *codecs, source)

    made = publish(transcoder, source, tmp_path / "job", **_FAST)

    (apart_s,) = _apart_s(made)
    assert abs(apart_s) <= _STEP_S


def _captions(folder: Path) -> str:
    return "".join(path.read_text("utf-8") for path in folder.glob("p*/captions-*.vtt"))
