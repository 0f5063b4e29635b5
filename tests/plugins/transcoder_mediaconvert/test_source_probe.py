"""
What MediaConvert says of a source, as a viewer would see it.
"""

from fractions import Fraction
from typing import Any

import pytest

from hvcore.plugin_api import PixelFormat, UnusableSourceError
from hvcore_transcoder_mediaconvert.source_probe import source_info

Found = dict[str, Any]


def video(**of: object) -> Found:
    shown = {
        "Width": 1920,
        "Height": 1080,
        "FrameRate": {"Numerator": 30000, "Denominator": 1001},
        "CodecMetadata": {"BitDepth": 8, "ChromaSubsampling": "4:2:0"},
        **of,
    }
    return {
        "Index": 1,
        "TrackType": "video",
        "Codec": "AVC",
        "Duration": 12.5,
        "VideoProperties": shown,
    }


def sound(index: int, **of: object) -> Found:
    told = {"Channels": 2, "SampleRate": 44_100, **of}
    return {"Index": index, "TrackType": "audio", "AudioProperties": told}


def probed(*tracks: Found, **container: object) -> Found:
    return {
        "Container": {"Format": "mp4", "Tracks": list(tracks), **container},
        "Metadata": {"FileSize": 1000},
    }


def test_tracks_are_counted_from_0_as_everywhere_here() -> None:
    info = source_info(probed(video(), sound(3, LanguageCode="fra"), sound(2)))

    assert (info.duration_s, info.size_bytes, info.container) == (12.5, 1000, "mp4")
    assert info.video.stream_index == 0
    assert info.video.frame_rate == Fraction(30000, 1001)
    assert [(one.stream_index, one.language) for one in info.audio] == [
        (2, "fra"),
        (1, ""),
    ]


@pytest.mark.parametrize(
    ("of", "size"),
    [
        ({"Rotation": 90}, (1080, 1920)),
        ({"Rotation": 180}, (1920, 1080)),
        ({"SampleAspectRatio": {"Numerator": 4, "Denominator": 3}}, (2560, 1080)),
        ({"SampleAspectRatio": {"Numerator": 99, "Denominator": 1}}, (1920, 1080)),
        (
            {
                "Rotation": 270,
                "SampleAspectRatio": {"Numerator": 1, "Denominator": 2},
            },
            (1080, 960),
        ),
    ],
)
def test_the_size_is_upright_with_square_pixels(
    of: Found, size: tuple[int, int]
) -> None:
    info = source_info(probed(video(**of)))

    assert (info.video.width_px, info.video.height_px) == size


@pytest.mark.parametrize(
    ("coded", "pixel_format"),
    [
        ({"BitDepth": 10, "ChromaSubsampling": "4:2:0"}, PixelFormat.YUV420P10B),
        ({"BitDepth": 12, "ChromaSubsampling": "4:4:4"}, PixelFormat.YUV422P10B),
        ({}, PixelFormat.YUV420P),
    ],
)
def test_pixels_are_the_nearest_that_can_be_made(
    coded: Found, pixel_format: PixelFormat
) -> None:
    info = source_info(probed(video(CodecMetadata=coded)))

    assert info.video.pixel_format is pixel_format


def test_hdr_and_fields_are_seen() -> None:
    coded = {"ScanType": "Interlaced", "TransferCharacteristics": "SMPTE_2084"}

    info = source_info(probed(video(CodecMetadata=coded)))

    assert info.video.is_hdr
    assert info.video.is_interlaced


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (probed(), "has no video"),
        (probed(sound(1)), "only audio"),
        (probed(video(Width=0)), "without pictures"),
        (probed(video(FrameRate={})), "without pictures"),
        (probed(video(Width=20_000)), "too large"),
        (probed(video(FrameRate={"Numerator": 500, "Denominator": 1})), "a second"),
        (probed({**video(), "Duration": 0.0}), "how long it is"),
        (probed({**video(), "Duration": 50_000.0}), "longer than 12 hours"),
        (probed(video(), *(sound(n) for n in range(2, 40))), "more than 32 tracks"),
        (
            probed(video(CodecMetadata={"DolbyVision": {"Profile": 5}})),
            "Dolby Vision",
        ),
    ],
)
def test_what_cannot_become_a_video_is_refused_with_a_reason(
    found: Found, words: str
) -> None:
    with pytest.raises(UnusableSourceError, match=words):
        source_info(found)
