"""
Our ladders as jobs for MediaConvert: its own model takes them, and so does our server.
"""

from fractions import Fraction
from typing import Any, Final

import attrs
import pytest
from botocore.validate import ParamValidator

from hvcore.plugin_api import (
    AudioCodec,
    AudioTrackInfo,
    EncodingSettings,
    PixelFormat,
    Preset,
    RateControl,
    SourceInfo,
    Speed,
    TranscodeOrder,
    UnusableSourceError,
    VideoTrackInfo,
    build_ladder,
)
from hvcore_mediaconvert_local.carried_out import ignored_settings
from hvcore_mediaconvert_local.job_rules import setting_problems
from hvcore_mediaconvert_local.web.operations import service_model
from hvcore_mediaconvert_local.web.request_check import problems
from hvcore_transcoder_mediaconvert.abilities import capabilities, check_order
from hvcore_transcoder_mediaconvert.job_requests import (
    MediaConvertAccount,
    job_request,
)
from tests.plugins.mediaconvert_local.job_requests import wire

ACCOUNT: Final = MediaConvertAccount(role="arn:aws:iam::123456789012:role/Transcode")
SHAPE: Final = service_model().operation_model("CreateJob").input_shape

Found = dict[str, Any]


def source(**of_video: Any) -> SourceInfo:  # noqa: ANN401 - fields of a record
    video = VideoTrackInfo(
        **{
            "stream_index": 0,
            "width_px": 1920,
            "height_px": 1080,
            "frame_rate": Fraction(30000, 1001),
            "pixel_format": PixelFormat.YUV420P,
            **of_video,
        }
    )
    tracks = tuple(
        AudioTrackInfo(
            stream_index=index, channels=2, sample_rate_hz=48_000, language=language
        )
        for index, language in ((3, "fra"), (1, "eng"))
    )
    return SourceInfo(
        duration_s=60, size_bytes=1, container="mp4", video=video, audio=tracks
    )


def order_of(
    info: SourceInfo | None = None,
    preset: Preset = Preset.STANDARD,
    **asked: Any,  # noqa: ANN401 - fields of a record
) -> TranscodeOrder:
    info = info or source()
    settings = EncodingSettings(preset=preset, **asked)
    return TranscodeOrder(
        source=info,
        settings=settings,
        ladder=build_ladder(info, settings),
        segment_s=6,
    )


def request_of(order: TranscodeOrder, key: str = "job-1") -> Found:
    return job_request(
        order,
        ACCOUNT,
        source_address="s3://in/source.mp4",
        target_address="s3://out/parts/1",
        key=key,
    )


def h264_of(request: Found, number: int = 0) -> Found:
    group, _ = request["Settings"]["OutputGroups"]
    video = group["Outputs"][number]["VideoDescription"]
    found: Found = video["CodecSettings"]["H264Settings"]
    return found


ORDERS: Final = {
    "usual": order_of(),
    "large": order_of(preset=Preset.ULTRA),
    "constant": order_of(rate_control=RateControl.CONSTANT, two_pass=True),
    "deep": order_of(pixel_format=PixelFormat.YUV420P10B),
    "hdr and interlaced": order_of(source(is_hdr=True, is_interlaced=True)),
    "small": order_of(source(width_px=64, height_px=36)),
    **{
        codec.value: order_of(audio_codec=codec)
        for codec in sorted(capabilities().audio_codecs, key=lambda one: one.value)
    },
    **{speed.value: order_of(speed=speed) for speed in Speed},
}


@pytest.mark.parametrize("name", ORDERS)
def test_mediaconverts_model_takes_every_job(name: str) -> None:
    request = request_of(ORDERS[name])

    report = ParamValidator().validate(request, SHAPE)

    assert not report.has_errors(), report.generate_report()
    # With the enums and limits, which botocore does not check.
    assert list(problems(wire(request), SHAPE)) == []


@pytest.mark.parametrize("name", ["usual", "large", "constant", "deep", "small"])
def test_our_local_server_makes_what_the_job_says(name: str) -> None:
    settings = wire(request_of(ORDERS[name]))["settings"]

    assert list(setting_problems(settings)) == []
    ignored = {path.rpartition("/")[2] for path in ignored_settings(settings)}
    assert ignored == {
        *("source", "timecodeSource", "segmentLengthControl", "qualityTuningLevel"),
        *("gopClosedCadence", "interlaceMode", "languageCodeControl"),
        *("parControl", "parNumerator", "parDenominator"),
    }


def test_rungs_have_the_ladders_sizes_rates_and_names() -> None:
    request = request_of(order_of())
    group, _ = request["Settings"]["OutputGroups"]

    found = [
        (
            output["NameModifier"],
            output["VideoDescription"]["Height"],
            output["VideoDescription"]["CodecSettings"]["H264Settings"]["Bitrate"],
        )
        for output in group["Outputs"]
        if "VideoDescription" in output
    ]

    assert found == [
        ("_360p", 360, 500_000),
        ("_480p", 480, 1_000_000),
        ("_720p", 720, 2_500_000),
    ]
    assert h264_of(request)["MaxBitrate"] == 750_000


def test_segments_are_whole_gops_of_whole_frames_in_all_rungs() -> None:
    request = request_of(order_of())

    gops = {h264_of(request, number)["GopSize"] for number in range(3)}

    # 29.97 frames a second: three of 60 frames make a segment of 6.006 s.
    assert gops == {60.0}


def test_audio_tracks_are_counted_in_the_order_of_the_file() -> None:
    request = request_of(order_of())
    group, _ = request["Settings"]["OutputGroups"]
    sounds = [
        output["AudioDescriptions"][0]
        for output in group["Outputs"]
        if "AudioDescriptions" in output
    ]

    named = {one["CustomLanguageCode"]: one["AudioSourceName"] for one in sounds}

    assert named == {"fra": "Track 2", "eng": "Track 1"}
    selectors = request["Settings"]["Inputs"][0]["AudioSelectors"]
    assert selectors["Track 2"]["Tracks"] == [2]


def test_a_poster_and_stills_are_captured_beside_the_ladder() -> None:
    order = attrs.evolve(order_of(source(is_hdr=True)), still_interval_s=2)

    _, pictures = request_of(order)["Settings"]["OutputGroups"]

    poster, still = (one["VideoDescription"] for one in pictures["Outputs"])
    assert (poster["Width"], poster["Height"]) == (1280, 720)
    assert (still["Width"], still["Height"]) == (160, 90)
    every_s = [
        one["CodecSettings"]["FrameCaptureSettings"]["FramerateDenominator"]
        for one in (poster, still)
    ]
    assert every_s == [6, 2]
    assert all("ColorCorrector" in one["VideoPreprocessors"] for one in (poster, still))


def test_stills_that_would_be_too_small_are_left_out() -> None:
    wide = source(width_px=2400, height_px=240)
    order = attrs.evolve(order_of(wide), still_interval_s=2)

    _, pictures = request_of(order)["Settings"]["OutputGroups"]

    assert [one["NameModifier"] for one in pictures["Outputs"]] == ["_poster"]


def test_hdr_is_mapped_only_for_formats_of_8_bits() -> None:
    info = source(is_hdr=True)
    mapped = request_of(order_of(info))
    kept = request_of(order_of(info, pixel_format=PixelFormat.YUV420P10B))

    def steps(request: Found) -> Found:
        group, _ = request["Settings"]["OutputGroups"]
        found: Found = group["Outputs"][0]["VideoDescription"].get(
            "VideoPreprocessors", {}
        )
        return found

    assert steps(mapped)["ColorCorrector"]["ColorSpaceConversion"] == "FORCE_709"
    assert steps(kept) == {}


def test_a_key_gives_the_same_token_each_time() -> None:
    tokens = [
        request_of(order_of(), key)["ClientRequestToken"]
        for key in ("a" * 300, "a" * 300, "b")
    ]

    assert tokens[0] == tokens[1] != tokens[2]
    assert all(len(token) <= 64 and token.isascii() for token in tokens)


def test_what_mediaconvert_cannot_do_is_among_no_capabilities() -> None:
    found = capabilities()

    assert PixelFormat.YUV444P not in found.pixel_formats
    assert not any(one.bit_depth == 12 for one in found.pixel_formats)
    assert AudioCodec.MP3 not in found.audio_codecs
    assert all(lack.is_refused for lack in found.lacks)


def test_pictures_that_are_too_small_are_refused() -> None:
    order = order_of()
    (rung, *_) = order.ladder.rungs
    tiny = attrs.evolve(rung, width_px=640, height_px=30)
    small = attrs.evolve(order, ladder=attrs.evolve(order.ladder, rungs=(tiny,)))

    check_order(order)
    with pytest.raises(UnusableSourceError, match="640x30"):
        check_order(small)
