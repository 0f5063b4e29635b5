"""
Every strange source ends in a conformant video, or in a reason for a person.
"""

import re
from fractions import Fraction
from pathlib import Path

import pytest

from hvcore.conformance import Level
from hvcore.plugin_api import (
    SEGMENT_S,
    AudioCodec,
    AudioTrackInfo,
    PixelFormat,
    Preset,
    SourceInfo,
    Speed,
    Transcoder,
    UnusableSourceError,
    VideoTrackInfo,
)
from tests.plugins.transcoder_ffmpeg.clips import ffmpeg
from tests.plugins.transcoder_ffmpeg.conftest import make_order
from tests.plugins.transcoder_ffmpeg.playing import (
    complaints,
    joined,
    picture,
    samples,
)
from tests.plugins.transcoder_ffmpeg.publishing import Published, publish
from tests.plugins.transcoder_ffmpeg.strange.clips import (
    LONG,
    OF_VERSIONS,
    STRANGE,
)
from tests.plugins.transcoder_ffmpeg.strange.sources import (
    AAC,
    X264,
    Ready,
    Refused,
    Strange,
)
from tests.plugins.transcoder_ffmpeg.strange.sources import picture as moving

pytestmark = pytest.mark.services

# Of a colour that was made of others on the way, such as by a palette.
_CORNER_WITHIN = 24
_NO_WORDS_FOR_A_PERSON = re.compile(
    r"ffmpeg|ffprobe|bwrap|/tmp|/|Error|Invalid|moov|stream", re.IGNORECASE
)


def _parameters() -> list[object]:
    return [
        pytest.param(
            strange,
            id=strange.name,
            marks=[pytest.mark.long] if strange.name in LONG else [],
        )
        for strange in STRANGE
    ]


def _parameters_of_packages() -> list[object]:
    """
    Return all, of which the usual run takes those in which versions of ffmpeg differ.
    """
    return [
        pytest.param(
            strange,
            id=strange.name,
            marks=[] if strange.name in OF_VERSIONS else [pytest.mark.long],
        )
        for strange in STRANGE
        # By a clock of no ticks a second, each version has its own idea of time.
        if strange.name != "clock-of-nothing.mp4"
    ]


def _made(strange: Strange, folder: Path) -> Path:
    source = folder / f"source{Path(strange.name).suffix}"
    strange.make(source)
    return source


def _published(transcoder: Transcoder, source: Path, folder: Path) -> Published:
    # One small rung of each.
    return publish(
        transcoder, source, folder / "job", max_edge_px=240, speed=Speed.ULTRAFAST
    )


def test_the_names_are_those_of_the_set() -> None:
    names = [strange.name for strange in STRANGE]

    assert len(set(names)) == len(names)
    assert set(names) > LONG
    assert set(names) > OF_VERSIONS
    assert len(names) - len(LONG) >= 60


@pytest.mark.cases(7)
@pytest.mark.timeout(600)
@pytest.mark.parametrize("strange", _parameters())
def test_a_strange_source_is_published_or_refused_with_its_reason(
    strange: Strange, tmp_path: Path, transcoder: Transcoder
) -> None:
    _check(strange, tmp_path, transcoder)


@pytest.mark.cases(5)
@pytest.mark.timeout(600)
@pytest.mark.parametrize("strange", _parameters_of_packages())
def test_a_strange_source_is_the_same_with_the_programs_of_the_packages(
    strange: Strange, tmp_path: Path, wheel_transcoder: Transcoder
) -> None:
    _check(strange, tmp_path, wheel_transcoder)


def _check(strange: Strange, folder: Path, transcoder: Transcoder) -> None:
    source = _made(strange, folder)
    if isinstance(strange.expected, Refused):
        with pytest.raises(UnusableSourceError) as refused:
            _published(transcoder, source, folder)
        reason = str(refused.value)
        assert strange.expected.reason in reason
        assert reason.endswith(".")
        assert not _NO_WORDS_FOR_A_PERSON.search(reason)
        return

    made = _published(transcoder, source, folder)

    findings = made.report().findings
    assert [found for found in findings if found.rule.level is Level.MUST] == []
    path = joined(made.folder, made.tracks[0])
    assert complaints(path) == ""
    _check_facts(made, strange.expected)
    if strange.expected.corner:
        corner = pytest.approx(strange.expected.corner, abs=_CORNER_WITHIN)
        assert picture(path) == corner


def _check_facts(made: Published, expected: Ready) -> None:
    rung, *_ = made.order.ladder.rungs
    assert (rung.width_px, rung.height_px) == expected.size_px
    assert rung.frame_rate == expected.frame_rate
    lengths_s = [sum(s.duration_s for s in track.segments) for track in made.tracks]
    assert lengths_s[0] == pytest.approx(expected.duration_s, abs=expected.within_s)
    # Sound ends with the pictures; how many there are of a damaged file, nobody
    # knows before.
    apart_s = expected.sound_over_s or (0.2 if expected.warns else 0.05)
    assert lengths_s == pytest.approx([lengths_s[0]] * len(lengths_s), abs=apart_s)
    audio = [track.audio for track in made.tracks if track.audio]
    assert tuple((one.channels, one.language) for one in audio) == expected.sound
    assert [one.is_default for one in audio] == [n == 0 for n in range(len(audio))]
    warnings = " ".join(made.warnings)
    assert expected.warns in warnings
    assert bool(warnings) == bool(expected.warns)


def _surround(path: Path, loud: tuple[int, ...], *codec: str) -> None:
    """
    Write a video whose six loudspeakers are silent but for some.
    """
    # A little below the loudest there is, which a codec may overshoot.
    channels = (f"{0.9 * (n in loud)}*sin(2*PI*500*t)" for n in range(6))
    sound = f"aevalsrc='{'|'.join(channels)}':c=5.1:s=48000:d=0.5"
    inputs = [*moving(seconds=0.5), "-f", "lavfi", "-i", sound]
    ffmpeg(*inputs, *X264, *codec, path)


@pytest.mark.cases(4)
@pytest.mark.parametrize(
    ("loud", "level"),
    [
        # ITU-R BS.775: the centre and a surround at 0.707 of a front one, and all of
        # it times 0.414, so that all at once are not above 1.
        ((0,), 0.9 * 0.414 / 2),
        ((2,), 0.9 * 0.293),
        ((4,), 0.9 * 0.293 / 2),
        ((3,), 0.0),
        ((0, 1, 2, 4, 5), 0.9),
    ],
    ids=["front", "centre", "surround", "subwoofer", "all"],
)
@pytest.mark.parametrize(
    "codec", [("-c:a", "pcm_f32le"), ("-c:a", "pcm_s24le")], ids=["float", "whole"]
)
def test_all_loudspeakers_are_heard_in_stereo_and_none_is_clipped(
    loud: tuple[int, ...],
    level: float,
    codec: tuple[str, ...],
    tmp_path: Path,
    transcoder: Transcoder,
) -> None:
    source = tmp_path / "source.mov"
    _surround(source, loud, *codec)

    made = _published(transcoder, source, tmp_path)

    # The middle of what was made, as the mean of left and right.
    heard = samples(joined(made.folder, made.tracks[1]))[6000:18000]
    peak = max(map(abs, heard)) / 32768
    assert peak == pytest.approx(level, abs=0.03)


def test_surround_sound_is_kept_where_its_codec_is_asked_for(
    tmp_path: Path, transcoder: Transcoder
) -> None:
    source = tmp_path / "source.mp4"
    _surround(source, (0, 2, 4), *AAC)

    made = publish(
        transcoder,
        source,
        tmp_path / "job",
        audio_codec=AudioCodec.EAC3,
        speed=Speed.ULTRAFAST,
    )

    audio = [track.audio for track in made.tracks if track.audio]
    assert [(one.codec, one.channels) for one in audio] == [
        (AudioCodec.EAC3, 6),
        (AudioCodec.AAC, 2),
    ]
    assert made.report().is_conformant


def test_twelve_hours_are_planned_without_a_gap(transcoder: Transcoder) -> None:
    video = VideoTrackInfo(
        stream_index=0,
        width_px=1920,
        height_px=1080,
        frame_rate=Fraction(30000, 1001),
        pixel_format=PixelFormat.YUV420P,
    )
    info = SourceInfo(
        duration_s=12.0 * 3600,
        size_bytes=5 * 1024**3,
        container="mov",
        video=video,
        audio=(AudioTrackInfo(stream_index=1, channels=6, sample_rate_hz=48000),),
        is_seekable=True,
    )

    parts = transcoder.plan(make_order(info, preset=Preset.HIGH))

    pictures = [part for part in parts if part.has_pictures]
    ends_s = [part.end_s for part in pictures]
    assert [part.start_s for part in pictures] == [0.0, *ends_s[:-1]]
    assert ends_s[-1] is None
    assert all(part.start_s % SEGMENT_S == 0 for part in pictures)
    assert len(pictures) > 100
    assert len([part for part in parts if part.has_sound]) == 1
    assert sum(part.weight for part in parts) == pytest.approx(1)
