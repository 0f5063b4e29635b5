"""
The ladder: which rungs and audio renditions a source gets.
"""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hvcore.domain.processing.encoding import (
    AudioCodec,
    EncodingSettings,
    PixelFormat,
    Preset,
)
from hvcore.domain.processing.ladder import build_ladder, rendition_frame_rate
from hvcore.domain.processing.source_info import (
    AudioTrackInfo,
    SourceInfo,
    VideoTrackInfo,
)
from hvcore.domain.processing.transcoding import Ladder


def ladder(
    width_px: int,
    height_px: int,
    settings: EncodingSettings,
    audio: tuple[AudioTrackInfo, ...] = (),
) -> Ladder:
    source = SourceInfo(
        duration_s=10,
        size_bytes=1,
        container="mov",
        video=VideoTrackInfo(
            stream_index=0,
            width_px=width_px,
            height_px=height_px,
            frame_rate=Fraction(30),
            pixel_format=PixelFormat.YUV422P,
        ),
        audio=audio,
    )
    return build_ladder(source, settings)


def rungs(width_px: int, height_px: int, settings: EncodingSettings) -> list[object]:
    made = ladder(width_px, height_px, settings).rungs
    return [(r.key, r.width_px, r.height_px, r.video_kbps) for r in made]


@pytest.mark.parametrize(
    ("preset", "expected"),
    [
        (Preset.STANDARD, [(360, 500), (480, 1000), (720, 2500)]),
        (Preset.HIGH, [(480, 1000), (720, 2500), (1080, 5000)]),
        (Preset.ULTRA, [(720, 2000), (1080, 5000), (1440, 9000), (2160, 15000)]),
    ],
)
def test_a_preset_has_its_documented_rungs_and_bitrates(
    preset: Preset, expected: list[tuple[int, int]]
) -> None:
    made = ladder(3840, 2160, EncodingSettings(preset=preset)).rungs

    assert [(r.short_edge_px, r.video_kbps) for r in made] == expected


def test_the_ladder_never_goes_above_the_source() -> None:
    assert rungs(1280, 720, EncodingSettings(preset=Preset.HIGH)) == [
        ("480p", 854, 480, 1000),
        ("720p", 1280, 720, 2500),
    ]


def test_max_edge_length_leaves_out_higher_rungs() -> None:
    settings = EncodingSettings(preset=Preset.ULTRA, max_edge_px=1080)

    assert [r[0] for r in rungs(3840, 2160, settings)] == ["720p", "1080p"]


def test_a_source_below_every_rung_gets_one_rung_of_its_own_size() -> None:
    assert rungs(321, 241, EncodingSettings(preset=Preset.ULTRA)) == [
        ("240p", 320, 240, 2000)
    ]


def test_portrait_keeps_its_shape() -> None:
    assert rungs(1080, 1920, EncodingSettings(preset=Preset.STANDARD))[-1] == (
        "720p",
        720,
        1280,
        2500,
    )


def test_auto_detect_takes_the_format_of_the_source() -> None:
    settings = EncodingSettings(
        preset=Preset.STANDARD, pixel_format=PixelFormat.AUTO_DETECT
    )

    assert ladder(1280, 720, settings).rungs[0].pixel_format is PixelFormat.YUV422P


@pytest.mark.parametrize(
    ("source", "cap", "expected"),
    [
        (Fraction(30), None, Fraction(30)),
        (Fraction(24), 30, Fraction(24)),
        (Fraction(60000, 1001), 30, Fraction(30000, 1001)),
        (Fraction(30), 24, Fraction(24)),
        (Fraction(120), None, Fraction(60)),
        (Fraction(240), 1, Fraction(1)),
    ],
)
def test_a_frame_rate_cap_never_raises_the_rate(
    source: Fraction, cap: int | None, expected: Fraction
) -> None:
    assert rendition_frame_rate(source, cap) == expected


def test_each_audio_track_is_a_rendition_and_the_first_is_the_default() -> None:
    tracks = (
        AudioTrackInfo(stream_index=1, channels=6, sample_rate_hz=48000, language="de"),
        AudioTrackInfo(stream_index=2, channels=1, sample_rate_hz=48000, language="en"),
    )

    made = ladder(1280, 720, EncodingSettings(preset=Preset.HIGH), tracks).audio

    assert [(a.name, a.language, a.channels, a.kbps, a.is_default) for a in made] == [
        ("audio", "de", 2, 128, True),
        ("audio-1", "en", 1, 64, False),
    ]


@pytest.mark.parametrize("codec", [AudioCodec.MP3, AudioCodec.AC3, AudioCodec.EAC3])
def test_a_codec_that_browsers_lack_is_joined_by_aac(codec: AudioCodec) -> None:
    tracks = (AudioTrackInfo(stream_index=1, channels=2, sample_rate_hz=48000),)
    settings = EncodingSettings(preset=Preset.HIGH, audio_codec=codec)

    assert [a.codec for a in ladder(1280, 720, settings, tracks).audio] == [
        codec,
        AudioCodec.AAC,
    ]


@given(
    width_px=st.integers(2, 8192),
    height_px=st.integers(2, 8192),
    preset=st.sampled_from(Preset),
    max_edge_px=st.sampled_from([None, 480, 720, 1080, 1440, 2160]),
)
def test_every_rung_is_even_and_within_the_source(
    width_px: int, height_px: int, preset: Preset, max_edge_px: int | None
) -> None:
    settings = EncodingSettings(preset=preset, max_edge_px=max_edge_px)

    made = ladder(width_px, height_px, settings).rungs

    assert made
    for rung in made:
        assert rung.width_px % 2 == 0
        assert rung.height_px % 2 == 0
        assert min(rung.width_px, rung.height_px) == rung.short_edge_px
        assert rung.short_edge_px <= min(width_px, height_px)
