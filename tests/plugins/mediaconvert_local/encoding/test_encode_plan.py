"""
Settings of a job become what ffmpeg is told; without running it.
"""

from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs
import pytest

from hvcore_mediaconvert_local.carried_out import ignored_settings
from hvcore_mediaconvert_local.encoding.encode_plan import Destination
from hvcore_mediaconvert_local.encoding.encoder_arguments import arguments_of
from hvcore_mediaconvert_local.encoding.plan_reading import plan_of
from hvcore_mediaconvert_local.encoding.source_facts import SourceFacts
from hvcore_mediaconvert_local.wire import laid_over
from tests.plugins.mediaconvert_local.job_requests import (
    Wire,
    aac,
    cmaf_group,
    file_group,
    h264,
    job,
    output,
    wire,
)

FACTS = SourceFacts(
    duration_s=2, has_video=True, frame_rate=Fraction(30000, 1001), audio_tracks=1
)


def told(video: Wire, **of_input: Any) -> str:  # noqa: ANN401 - JSON data
    """
    What ffmpeg is told of one file with a picture.
    """
    group = file_group("b", output("MP4", VideoDescription=video))
    settings = wire(job("s3://b/in.mp4", group)["Settings"])
    settings["inputs"][0] |= of_input
    found = arguments_of(
        plan_of(settings), FACTS, Path("/in"), Path("/w"), preset="fast"
    )
    return " ".join(found)


@pytest.mark.parametrize(
    ("further", "said"),
    [
        ({}, "-crf 23 -maxrate 300000 -bufsize 600000"),
        ({"QvbrSettings": {"QvbrQualityLevel": 10}}, "-crf 17 "),
        (
            {"QvbrSettings": {"QvbrQualityLevel": 7, "QvbrQualityLevelFineTune": 0.5}},
            "-crf 22 ",
        ),
        (
            {"RateControlMode": "CBR", "Bitrate": 500_000, "MaxBitrate": None},
            "-b:v 500000 -minrate 500000 -maxrate 500000 -bufsize 1000000",
        ),
        (
            {"RateControlMode": "VBR", "Bitrate": 200_000},
            "-b:v 200000 -maxrate 300000 -bufsize 600000",
        ),
        ({"GopSize": 2.0}, "-g 60 "),
        ({"GopSize": 48, "GopSizeUnits": "FRAMES"}, "-g 48 "),
        ({"NumberBFramesBetweenReferenceFrames": 0}, "-bf 0 "),
        ({"CodecProfile": "HIGH_10BIT"}, "-pix_fmt yuv420p10le "),
        ({"CodecProfile": "MAIN"}, "-profile:v main "),
        ({}, "fps=30000/1001"),
        (
            {
                "FramerateControl": "SPECIFIED",
                "FramerateNumerator": 24000,
                "FramerateDenominator": 1001,
            },
            "fps=24000/1001",
        ),
    ],
)
def test_settings_of_a_codec_are_carried_out(further: Wire, said: str) -> None:
    assert said in f"{told(h264(**further))} "


def test_without_a_size_of_a_gop_the_encoder_chooses() -> None:
    assert " -g " not in told(h264(GopSizeUnits="AUTO"))


@pytest.mark.parametrize(
    ("size", "said"),
    [
        ({"Width": None, "Height": None}, "scale=trunc(iw/2)*2:trunc(ih/2)*2,"),
        ({"Width": None}, "scale=-2:90,"),
        ({"Height": None}, "scale=160:-2,"),
        ({}, "pad=160:90:-1:-1,"),
        ({"ScalingBehavior": "STRETCH_TO_OUTPUT"}, "scale=160:90,setsar"),
        ({"ScalingBehavior": "FILL"}, "increase,crop=160:90,"),
        ({"ScalingBehavior": "FIT"}, "force_divisible_by=2,setsar"),
    ],
)
def test_sizes_are_carried_out(size: Wire, said: str) -> None:
    assert said in told({**h264(), **size})


def test_pictures_are_turned_only_if_it_is_asked_for() -> None:
    as_stored = told(h264())
    as_marked = told(h264(), videoSelector={"rotate": "AUTO"})
    turned = told(h264(), videoSelector={"rotate": "DEGREES_90"})

    assert ("-noautorotate" in as_stored, "-noautorotate" in as_marked) == (True, False)
    assert "transpose=clock" in turned


def test_an_audio_selector_chooses_a_track() -> None:
    group = file_group("b", output("MP4", AudioDescriptions=[aac()]))
    settings = wire(job("s3://b/in.mp4", group)["Settings"])
    settings["inputs"][0]["audioSelectors"]["Audio Selector 1"] = {
        "tracks": [3],
        "languageCode": "FRA",
    }

    found = " ".join(
        arguments_of(plan_of(settings), FACTS, Path("/in"), Path("/w"), preset="fast")
    )

    assert "-map 0:a:2 -c:a:0 aac -ar:a:0 48000 -ac:a:0 2 -b:a:0 64000" in found
    assert "language=fra" in found


@pytest.mark.parametrize(
    ("wanted", "end_s", "is_matched"),
    [
        ("MATCH_VIDEO_DURATION", 2.5, True),
        # A source that does not say when its pictures are.
        ("MATCH_VIDEO_DURATION", 0.0, False),
        ("DEFAULT_CODEC_DURATION", 2.5, False),
    ],
)
def test_sound_ends_with_the_last_picture_if_it_is_asked_for(
    wanted: str, end_s: float, *, is_matched: bool
) -> None:
    group = cmaf_group("b")
    container = group["Outputs"][-1]["ContainerSettings"]
    container["CmfcSettings"] = {"AudioDuration": wanted}
    plan = plan_of(wire(job("s3://b/in.mp4", group)["Settings"]))
    facts = attrs.evolve(FACTS, starts_at_s=10).with_picture_end(10 + end_s)

    found = arguments_of(plan, facts, Path("/in"), Path("/w"), preset="fast")

    assert any(one.endswith(",apad,atrim=end=2.500000") for one in found) == is_matched


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("s3://b/folder/", "folder/clip.1"),
        ("s3://b/folder/name", "folder/name"),
        ("s3://b/", "clip.1"),
        ("s3://b", "clip.1"),
        ("s3://b/a#b?c", "a#b?c"),
    ],
)
def test_a_destination_without_a_name_has_the_inputs(address: str, key: str) -> None:
    found = Destination.parse(address, "https://host/x/clip.1.mp4?signature=7")

    assert (found.bucket, found.key) == ("b", key)


def test_every_setting_of_the_usual_jobs_is_carried_out() -> None:
    settings = wire(job("s3://b/in.mp4", cmaf_group("b"), file_group("b"))["Settings"])

    assert ignored_settings(settings) == ()


def test_what_is_laid_over_wins_member_by_member() -> None:
    template = {"a": {"x": 1, "y": [1, {"p": 1}, 3]}, "b": 2}
    over = {"a": {"y": [9, {"q": 2}]}, "c": None}

    assert laid_over(template, over) == {
        "a": {"x": 1, "y": [9, {"p": 1, "q": 2}, 3]},
        "b": 2,
        "c": None,
    }
