"""
Every combination of documented parameters, two at a time, proven on what is made.

What is expected is written down here from the interface's tables once more, and
not asked of the code that is tested.
"""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import attrs
import pytest
from allpairspy import AllPairs

from hvcore.conformance import Level
from hvcore.plugin_api import (
    AudioCodec,
    PixelFormat,
    Preset,
    RateControl,
    Speed,
    Track,
    Transcoder,
)
from hvcore.wire.requests import possible_with
from tests.plugins.transcoder_ffmpeg.clips import ffmpeg, pattern, tone
from tests.plugins.transcoder_ffmpeg.playing import complaints, joined, packets, stream
from tests.plugins.transcoder_ffmpeg.publishing import Published, publish

pytestmark = pytest.mark.services

_LADDERS: Final = {
    Preset.STANDARD: (360, 480, 720),
    Preset.HIGH: (480, 720, 1080),
    Preset.ULTRA: (720, 1080, 1440, 2160),
}
_AUTO_RATE: Final = 60
_MADE_AS: Final = {
    PixelFormat.YUV420P: ("h264", "High", "yuv420p"),
    PixelFormat.YUV422P: ("h264", "High 4:2:2", "yuv422p"),
    PixelFormat.YUV444P: ("h264", "High 4:4:4 Predictive", "yuv444p"),
    PixelFormat.YUV420P10B: ("h264", "High 10", "yuv420p10le"),
    PixelFormat.YUV422P10B: ("h264", "High 4:2:2", "yuv422p10le"),
    PixelFormat.YUV444P10B: ("h264", "High 4:4:4 Predictive", "yuv444p10le"),
    PixelFormat.YUV420P12B: ("hevc", "Rext", "yuv420p12le"),
    PixelFormat.YUV422P12B: ("hevc", "Rext", "yuv422p12le"),
    PixelFormat.YUV444P12B: ("hevc", "Rext", "yuv444p12le"),
}
_SOUND: Final = {
    AudioCodec.AAC: "aac",
    AudioCodec.AAC_HE: "aac",
    AudioCodec.AAC_HE_V2: "aac",
    AudioCodec.MP3: "mp3",
    AudioCodec.AC3: "ac3",
    AudioCodec.EAC3: "eac3",
}
_NOT_IN_BROWSERS: Final = (AudioCodec.MP3, AudioCodec.AC3, AudioCodec.EAC3)
_NOT_EVERYWHERE: Final = (AudioCodec.AAC_HE, AudioCodec.AAC_HE_V2)

_FAST: Final = ("-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac")
_PQ: Final = (
    *("-color_primaries", "bt2020", "-color_trc", "smpte2084"),
    *("-colorspace", "bt2020nc", "-pix_fmt", "yuv420p10le"),
)


@attrs.frozen(kw_only=True)
class _Source:
    """
    A clip of a second or so, and what a viewer sees of it.
    """

    size: str
    rate: str
    seconds: float
    channels: int
    native: PixelFormat = PixelFormat.YUV420P
    options: tuple[str, ...] = ()
    is_hdr: bool = False
    suffix: str = ".mp4"

    @property
    def edges(self) -> tuple[int, int]:
        """
        Width and height.
        """
        width, height = map(int, self.size.split("x"))
        return width, height

    def make(self, path: Path) -> None:
        """
        Write it.
        """
        sound = [*tone(self.seconds), "-ac", str(self.channels)]
        heard = sound if self.channels else []
        picture = pattern(self.size, self.rate, self.seconds)
        ffmpeg(*picture, *heard, *_FAST, *self.options, path)


_SOURCES: Final = {
    "wide": _Source(size="160x90", rate="25", seconds=1, channels=2),
    "portrait": _Source(size="90x160", rate="30000/1001", seconds=1, channels=6),
    "odd": _Source(
        size="161x121",
        rate="60000/1001",
        seconds=0.7,
        channels=1,
        native=PixelFormat.YUV444P,
        options=("-pix_fmt", "yuv444p"),
        suffix=".mkv",
    ),
    "hdr": _Source(
        size="128x72",
        rate="24",
        seconds=1,
        channels=2,
        native=PixelFormat.YUV420P10B,
        options=_PQ,
        is_hdr=True,
    ),
    "fast": _Source(size="128x96", rate="120", seconds=0.5, channels=0),
    "segments": _Source(size="128x72", rate="10", seconds=12.6, channels=2),
    "rungs": _Source(size="642x482", rate="10", seconds=0.8, channels=2),
    "tall": _Source(size="720x1280", rate="5", seconds=0.6, channels=0),
}

_SPACE: Final = {
    "source": list(_SOURCES),
    "preset": list(Preset),
    "max_edge_px": [None, 480, 720, 1080, 1440, 2160],
    "max_frame_rate": [None, 1, 12, 24, 30, 50, 60, 240],
    "pixel_format": list(PixelFormat),
    "rate_control": list(RateControl),
    "two_pass": [False, True],
    "speed": list(Speed),
    "audio_codec": [one for one in AudioCodec if one not in _NOT_EVERYWHERE],
}
_IN_CI: Final = 16


def _cells() -> list[Any]:
    cells = []
    for number, row in enumerate(AllPairs(list(_SPACE.values()))):
        cell = dict(zip(_SPACE, row, strict=True))
        words = [getattr(value, "value", value) for value in row]
        marks = [pytest.mark.long] if number >= _IN_CI else []
        cells.append(pytest.param(cell, id="-".join(map(str, words)), marks=marks))
    return cells


_CELLS: Final = _cells()


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """
    Gives a source by its name; each is made once.
    """
    folder = tmp_path_factory.mktemp("parameters")

    def give(name: str) -> Path:
        path = folder / f"{name}{_SOURCES[name].suffix}"
        if not path.exists():
            _SOURCES[name].make(path)
        return path

    return give


def test_the_sample_has_every_value_and_the_whole_every_pair() -> None:
    rows = [tuple(cell.values[0].values()) for cell in _CELLS]

    for number, values in enumerate(_SPACE.values()):
        assert {row[number] for row in rows[:_IN_CI]} == set(values)
    for one in range(len(_SPACE)):
        for other in range(one):
            pairs = {(row[one], row[other]) for row in rows}
            wanted = list(_SPACE.values())
            assert len(pairs) == len(wanted[one]) * len(wanted[other])


@pytest.mark.cases(2)
@pytest.mark.parametrize("cell", _CELLS)
def test_what_was_asked_for_is_what_plays(
    cell: dict[str, Any],
    source: Callable[[str], Path],
    transcoder: Transcoder,
    tmp_path: Path,
) -> None:
    settings = {name: value for name, value in cell.items() if name != "source"}

    made = publish(transcoder, source(cell["source"]), tmp_path, **settings)

    _check_video(made, _SOURCES[cell["source"]], settings)
    _check_sound(made, _SOURCES[cell["source"]], settings["audio_codec"])
    for track in made.tracks:
        assert complaints(joined(made.folder, track)) == ""
    broken = [f for f in made.report().findings if f.rule.level is Level.MUST]
    assert broken == []


@pytest.mark.parametrize("codec", _NOT_EVERYWHERE)
def test_he_aac_is_made_or_refused_when_asked_for(
    codec: AudioCodec,
    source: Callable[[str], Path],
    transcoder: Transcoder,
    tmp_path: Path,
) -> None:
    able = transcoder.capabilities()
    refusals = list(possible_with(able, lambda _: "")({"audioCodec": codec}))

    if codec in able.audio_codecs:
        made = publish(transcoder, source("wide"), tmp_path, audio_codec=codec)
        _check_sound(made, _SOURCES["wide"], codec)
        assert not refusals
    else:
        assert [refusal.status for refusal in refusals] == [422]


def _check_video(made: Published, source: _Source, settings: dict[str, Any]) -> None:
    tracks = [track for track in made.tracks if track.rung]
    assert [track.name for track in tracks] == [
        f"video/{edge}p" for edge in _wanted_edges(source, settings)
    ]
    wanted = settings["pixel_format"]
    if wanted is PixelFormat.AUTO_DETECT:
        wanted = source.native
    rate = _wanted_rate(source, settings["max_frame_rate"])
    is_pq = source.is_hdr and wanted.bit_depth > 8
    for track in tracks:
        path = joined(made.folder, track)
        found = stream(path)
        codec, profile, pixels = _MADE_AS[wanted]
        assert (found["codec_name"], found["pix_fmt"]) == (codec, pixels)
        assert found["profile"] == _profile(profile, settings["speed"])
        assert found["codec_tag_string"] == ("avc1" if codec == "h264" else "hvc1")
        assert _shape(found) == _wanted_shape(source, track)
        shown = packets(path)
        assert _rates(found, shown) == {rate}
        assert found["color_range"] == "tv"
        assert found["color_space"] == ("bt2020nc" if is_pq else "bt709")
        assert found["color_primaries"] == ("bt2020" if is_pq else "bt709")
        assert found["color_transfer"] == ("smpte2084" if is_pq else "bt709")
        frames = made.info.duration_s * float(rate)
        assert len(shown) == pytest.approx(frames, abs=1)


def _check_sound(made: Published, source: _Source, codec: AudioCodec) -> None:
    tracks = [track for track in made.tracks if track.audio]
    if not source.channels:
        assert not tracks
        return
    codecs = [codec, AudioCodec.AAC] if codec in _NOT_IN_BROWSERS else [codec]
    assert len(tracks) == len(codecs)
    for track, one in zip(tracks, codecs, strict=True):
        found = stream(joined(made.folder, track))
        most = 6 if one in (AudioCodec.AC3, AudioCodec.EAC3) else 2
        assert found["codec_name"] == _SOUND[one]
        assert found["sample_rate"] == "48000"
        assert found["channels"] == min(source.channels, most)


def _wanted_edges(source: _Source, settings: dict[str, Any]) -> list[int]:
    short = min(source.edges)
    cap = min(short, settings["max_edge_px"] or short)
    ladder = _LADDERS[settings["preset"]]
    return [edge for edge in ladder if edge <= cap] or [cap // 2 * 2]


def _wanted_shape(source: _Source, track: Track) -> tuple[int, int, str]:
    assert track.rung is not None
    width, height = source.edges
    edge = track.rung.short_edge_px
    # Even, and within a pixel of the source's shape.
    long = round(edge * max(width, height) / min(width, height) / 2) * 2
    across, down = (long, edge) if width >= height else (edge, long)
    return across, down, "1:1"


def _shape(found: dict[str, Any]) -> tuple[int, int, str]:
    return found["width"], found["height"], found["sample_aspect_ratio"]


def _wanted_rate(source: _Source, cap: int | None) -> Fraction:
    rate = Fraction(source.rate)
    limit = cap or _AUTO_RATE
    if rate <= limit:
        return rate
    # 59.94 capped at 30 is every other picture, 29.97.
    every = rate / round(rate / limit)
    return every if abs(every - limit) < Fraction(limit, 100) else Fraction(limit)


def _rates(found: dict[str, Any], shown: list[dict[str, Any]]) -> set[Fraction]:
    # How long ffmpeg's reader of MP4 takes the last picture to last is a guess.
    tick = Fraction(found["time_base"])
    return {1 / (packet["duration"] * tick) for packet in shown[:-1] or shown}


def _profile(ordinary: str, speed: Speed) -> str:
    # x264's fastest preset leaves out all that takes more than that profile.
    is_least = speed is Speed.ULTRAFAST and ordinary == "High"
    return "Constrained Baseline" if is_least else ordinary


@pytest.mark.cases(1)
@pytest.mark.parametrize("samples", [48 * 1152 - 47, 48 * 1152 - 46, 48 * 1152])
def test_mp3_ends_evenly_wherever_the_video_ends(
    samples: int, transcoder: Transcoder, tmp_path: Path
) -> None:
    source = tmp_path / "source.mkv"
    seconds = samples / 48000
    # One picture of that length: the video's end decides.
    still = ["-f", "lavfi", "-i", f"color=size=64x64:rate=48000/{samples}"]
    ffmpeg(*still, *tone(2), "-frames:v", "1", *_FAST, source)

    made = publish(transcoder, source, tmp_path / "job", audio_codec=AudioCodec.MP3)

    assert made.info.duration_s == pytest.approx(seconds, abs=0.001)
    for track in made.tracks[1:]:
        assert complaints(joined(made.folder, track)) == ""
