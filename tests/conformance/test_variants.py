"""
The tags of variants are compared with what their files have, at the ends of what is allowed.
"""

import attrs
import pytest

from hvcore.conformance.playlists import Tagged
from hvcore.conformance.renditions import Rendition
from hvcore.conformance.report import CheckLog
from hvcore.conformance.variant_rules import (
    Variant,
    check_channels,
    check_rendition,
    check_variant,
)
from tests.conformance.made_renditions import (
    SOUND,
    found,
    playlist,
    rendition,
    segment,
    shown,
)


@pytest.mark.parametrize(
    ("ticks", "level", "rules"),
    [
        ((17, 17), 31, []),
        ((16, 16), 31, ["frame-rate-limit"]),
        ((17, 17), 30, []),
        ((17, 17), 12, ["codec-level"]),
        ((16, 17), 31, []),
        ((10, 10), 0, []),
    ],
)
def test_a_rendition_has_at_most_60_frames_and_a_level_that_is_high_enough(
    ticks: tuple[int, int], level: int, rules: list[str]
) -> None:
    log = CheckLog()

    check_rendition(
        rendition([segment(0, frames=ticks)], track=shown(320, 180, level=level)), log
    )

    assert [rule for rule, _ in found(log)] == rules


def test_the_most_frames_have_a_tolerance() -> None:
    def rules(timescale: int) -> list[tuple[str, str]]:
        log = CheckLog()
        track = shown(320, 180, timescale=timescale)
        check_rendition(rendition([segment(0, frames=(1999, 1999))], track=track), log)
        return found(log)

    assert rules(60 * 2000) == []
    assert rules(60 * 2000 + 1) == [("frame-rate-limit", "a.m3u8")]


MASTER = playlist([], "master.m3u8")
GOOD = {
    "BANDWIDTH": "4000",
    "AVERAGE-BANDWIDTH": "4000",
    "CODECS": "avc1.42C01E",
    "RESOLUTION": "320x180",
    "FRAME-RATE": "25.000",
}


@pytest.mark.parametrize(
    ("changes", "rules"),
    [
        ({}, []),
        # A tenth of what is declared: from 3637 to 4444 are 4000.
        ({"BANDWIDTH": "4444"}, []),
        ({"BANDWIDTH": "4445"}, ["bandwidth"]),
        ({"BANDWIDTH": "3999"}, ["bandwidth-covers"]),
        ({"BANDWIDTH": "3637"}, ["bandwidth-covers"]),
        ({"BANDWIDTH": "3636"}, ["bandwidth", "bandwidth-covers"]),
        ({"BANDWIDTH": "x"}, []),
        ({"AVERAGE-BANDWIDTH": "3637"}, []),
        ({"AVERAGE-BANDWIDTH": "3636"}, ["average-bandwidth"]),
        ({"AVERAGE-BANDWIDTH": "-4000"}, ["average-bandwidth"]),
        ({"FRAME-RATE": "25.012"}, []),
        ({"FRAME-RATE": "25.0125"}, []),
        ({"FRAME-RATE": "25.013"}, ["frame-rate"]),
        ({"FRAME-RATE": "24.9875"}, []),
        ({"FRAME-RATE": "24.987"}, ["frame-rate"]),
        ({"FRAME-RATE": "25.000 "}, ["frame-rate"]),
        ({"CODECS": " AVC1.42c01e "}, []),
        ({"CODECS": "avc1.42c01e,"}, []),
        ({"CODECS": ","}, ["codecs"]),
        ({"RESOLUTION": "320X180"}, ["resolution"]),
        ({"VIDEO-RANGE": "SDR"}, []),
        ({"VIDEO-RANGE": "HLG"}, ["video-range"]),
        ({"CLOSED-CAPTIONS": "NONE"}, []),
    ],
)
def test_a_variant_says_what_its_files_have_within_the_tolerances(
    changes: dict[str, str], rules: list[str]
) -> None:
    tag = Tagged(line=3, attributes={**GOOD, **changes}, name="a.m3u8")
    main = rendition([segment(0), segment(2000)], track=shown(320, 180))
    log = CheckLog()

    check_variant(MASTER, Variant(tag=tag, main=main, sound=()), log)

    assert found(log) == [(rule, "master.m3u8") for rule in rules]


@pytest.mark.parametrize(
    ("codecs", "found_codecs", "rules"),
    [
        ("mp4a.40.2", "mp4a.40.2", []),
        ("mp4a.40.34", "mp4a.6b", []),
        ("mp4a.69", "mp4a.40.34", []),
        ("mp4a.40.2", "mp4a.6b", ["codecs", "codecs"]),
        ("ac-3", "ac-3", []),
        ("av01.0.04M.08", "av01", []),
        ("av02.0.04M.08", "av01", ["codecs", "codecs"]),
    ],
)
def test_a_codec_may_be_named_in_each_of_its_ways(
    codecs: str, found_codecs: str, rules: list[str]
) -> None:
    attributes = {"CODECS": codecs, "AVERAGE-BANDWIDTH": "4000"}
    tag = Tagged(line=3, attributes=attributes, name="a.m3u8")
    main = rendition([segment(0)], track=attrs.evolve(SOUND, codecs=found_codecs))
    log = CheckLog()

    check_variant(MASTER, Variant(tag=tag, main=main, sound=()), log)

    assert [rule for rule, _ in found(log)] == rules


def test_of_several_sounds_the_dearest_counts_and_unknown_rates_are_not_judged() -> (
    None
):
    tag = Tagged(line=3, attributes={**GOOD, "BANDWIDTH": "16000"}, name="a.m3u8")
    tag = attrs.evolve(tag, attributes={**tag.attributes, "AVERAGE-BANDWIDTH": "12000"})
    main = rendition([segment(0), segment(2000)], track=shown(320, 180))
    sounds = [
        rendition([segment(0), segment(2000)], sizes=sizes)
        for sizes in ((3000, 1000), (100, 100))
    ]

    def rules(*sound: Rendition, main: Rendition = main) -> set[str]:
        log = CheckLog()
        check_variant(MASTER, Variant(tag=tag, main=main, sound=sound), log)
        return {rule for rule, _ in found(log)} - {"codecs"}

    assert rules(*sounds) == set()
    assert rules(sounds[1]) == {"bandwidth", "average-bandwidth"}
    unknown = rendition([segment(0)], sizes=[None])
    assert rules(sounds[1], unknown) == set()
    cut = rendition([segment(0)], track=shown(320, 180), is_cut=True)
    assert rules(sounds[1], main=cut) == set()


def test_captions_that_a_variant_denies_are_found_in_any_segment() -> None:
    segments = [segment(0), None, segment(4000, has_captions=True)]
    main = rendition(segments, track=shown(320, 180))

    for said, rules in (("NONE", ["closed-captions"]), ("cc", []), ("", [])):
        tag = Tagged(
            line=3, attributes={**GOOD, "CLOSED-CAPTIONS": said}, name="a.m3u8"
        )
        log = CheckLog()
        check_variant(MASTER, Variant(tag=tag, main=main, sound=()), log)
        assert [rule for rule, _ in found(log)] == rules


@pytest.mark.parametrize(
    ("declared", "channels", "is_wrong"),
    [
        *(("2", 2, False), ("6/JOC", 6, False), ("2", 0, False)),
        *(("", 2, True), ("", 0, True), ("6", 2, True), ("16/-/B", 16, False)),
    ],
)
def test_channels_are_those_of_the_audio_as_far_as_they_are_known(
    declared: str, channels: int, *, is_wrong: bool
) -> None:
    tag = Tagged(line=3, attributes={"CHANNELS": declared}, name="a.m3u8")
    log = CheckLog()

    sound = attrs.evolve(SOUND, channels=channels)
    check_channels(MASTER, tag, rendition([], track=sound), log)
    check_channels(MASTER, tag, rendition([], track=None), log)

    told = [("channels", "master.m3u8")]
    assert found(log) == told * is_wrong + told * (not declared)
