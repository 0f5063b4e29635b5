"""
Reports of ffprobe about pictures: of files that say much, little or nonsense.
"""

import json
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import attrs
import pytest

from hvcore.plugin_api import (
    MAX_SOURCE_EDGE_PX,
    MAX_SOURCE_PIXELS,
    UnusableSourceError,
)
from hvcore_transcoder_ffmpeg.probe.container_pictures import PLAIN
from hvcore_transcoder_ffmpeg.probe.geometry import UPRIGHT, Crop, Geometry, turn_of
from hvcore_transcoder_ffmpeg.probe.report_fields import integer, known, parse, rate
from hvcore_transcoder_ffmpeg.probe.source import Streams, VideoStream
from hvcore_transcoder_ffmpeg.probe.video_report import (
    choose,
    declared_s,
    is_video,
    video_stream,
    with_first_picture,
)
from hvcore_transcoder_ffmpeg.reasons import UNREADABLE

UPSIDE_DOWN = (-65536, 0, 0, 0, -65536, 0, 0, 0, 1073741824)
TALLEST_PX = MAX_SOURCE_PIXELS // MAX_SOURCE_EDGE_PX


def reported(**fields: object) -> dict[str, Any]:
    return {
        "codec_type": "video",
        "codec_name": "h264",
        "width": 640,
        "height": 360,
        "pix_fmt": "yuv420p",
        **fields,
    }


def read(**fields: object) -> VideoStream:
    return video_stream(reported(**fields), PLAIN)


def written(matrix: tuple[object, ...]) -> dict[str, str]:
    """
    Write a display matrix as ffprobe does.
    """
    lines = [
        f"{line:08d}: " + " ".join(map(str, matrix[line * 3 :][:3]))
        for line in range(-(-len(matrix) // 3))
    ]
    return {"displaymatrix": "\n" + "\n".join(lines) + "\n"}


@pytest.mark.parametrize(
    ("fields", "is_one"),
    [
        ({}, True),
        ({"codec_type": "audio"}, False),
        ({"codec_name": ""}, False),
        ({"disposition": {"attached_pic": 1}}, False),
        ({"disposition": {"timed_thumbnails": 1}}, False),
        ({"disposition": "nonsense"}, True),
    ],
)
def test_covers_and_what_nobody_can_decode_are_no_videos(
    fields: Mapping[str, object], *, is_one: bool
) -> None:
    assert is_video(reported(**fields)) is is_one


DEFAULT = {"disposition": {"default": 1}}


@pytest.mark.parametrize(
    ("tracks", "best"),
    [
        ([{"duration": "9"}, {"duration": "10"}], 0),
        ([{"duration": "8.9"}, {"duration": "10"}], 1),
        ([{"duration": "10"}, {"duration": "9", **DEFAULT}], 1),
        ([{"duration": "10"}, {"duration": "8.9", **DEFAULT}], 0),
        ([{"width": 320}, {"duration": "1"}], 0),
        ([{"duration": "70"}, {}], 0),
        ([{"duration": "40"}, {}], 1),
        ([{"width": 0}, {"width": 0, **DEFAULT}], 1),
    ],
)
def test_the_largest_pictures_for_the_longest_time_are_the_video(
    tracks: list[dict[str, object]], best: int
) -> None:
    videos = [reported(**one) for one in tracks]

    assert choose(videos, whole_s=60.0) is videos[best]


@pytest.mark.parametrize(
    ("fields", "length_s"),
    [
        ({"duration": "7.5", "tags": {"DURATION": "00:00:01.0"}}, 7.5),
        ({"tags": {"DURATION": "01:02:03.500000000"}}, 3723.5),
        ({"tags": {"DURATION": "00:00:10.0"}, "start_time": "4.0"}, 6.0),
        ({"tags": {"DURATION": "00:00:10.0"}, "start_time": "-4.0"}, 10.0),
        ({"tags": {"DURATION": "00:00:10.0"}, "start_time": "11.0"}, 0.0),
        ({"tags": {"DURATION": "long"}}, 0.0),
        ({"duration": "inf"}, 0.0),
        ({}, 0.0),
    ],
)
def test_the_length_of_a_track_is_what_its_headers_say(
    fields: Mapping[str, object], length_s: float
) -> None:
    assert declared_s(reported(**fields)) == length_s


@pytest.mark.parametrize(
    "size",
    [
        {"width": MAX_SOURCE_EDGE_PX, "height": TALLEST_PX},
        {"width": TALLEST_PX, "height": MAX_SOURCE_EDGE_PX},
        {"width": 6000, "height": MAX_SOURCE_PIXELS // 6000},
        {"width": 1, "height": 1},
        {"width": "4096", "sample_aspect_ratio": "2:1"},
    ],
)
def test_pictures_may_be_as_large_as_the_limits(size: dict[str, object]) -> None:
    assert read(**size).geometry.decoded_width_px == int(str(size["width"]))


@pytest.mark.parametrize(
    ("size", "said"),
    [
        ({"width": MAX_SOURCE_EDGE_PX + 1, "height": 2}, "8193x2"),
        ({"width": 2, "height": MAX_SOURCE_EDGE_PX + 1}, "2x8193"),
        ({"width": 6000, "height": MAX_SOURCE_PIXELS // 6000 + 1}, "6000x6001"),
        ({"width": 4097, "sample_aspect_ratio": "2:1"}, "4097x360"),
        ({"width": 0}, UNREADABLE),
        ({"height": 0}, UNREADABLE),
        ({"width": "wide"}, UNREADABLE),
        ({"width": 2**53}, UNREADABLE),
    ],
)
def test_larger_pictures_and_none_are_refused(
    size: dict[str, object], said: str
) -> None:
    with pytest.raises(UnusableSourceError, match=re.escape(said)):
        read(**size)


@pytest.mark.parametrize(
    ("sides", "is_usable"),
    [
        ([{"dv_profile": 5, "dv_bl_signal_compatibility_id": 0}], False),
        ([{}, {"dv_profile": 10}], False),
        ([{"dv_profile": 8, "dv_bl_signal_compatibility_id": 1}], True),
        ([{"dv_profile": 10, "dv_bl_signal_compatibility_id": 1}], True),
        ("nonsense", True),
        (["nonsense"], True),
    ],
)
def test_only_dolby_vision_without_a_plain_picture_is_refused(
    sides: object, *, is_usable: bool
) -> None:
    if is_usable:
        read(side_data_list=sides)
    else:
        with pytest.raises(UnusableSourceError, match="Dolby"):
            read(side_data_list=sides)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, (False, True, 1)),
        ({"field_order": "tt"}, (True, True, 2)),
        ({"field_order": "progressive"}, (False, True, 1)),
        ({"codec_name": "vp9"}, (False, False, 0)),
        ({"codec_name": "vp9", "field_order": "bb"}, (True, True, 0)),
        ({"pix_fmt": "rgb24"}, (False, False, 1)),
        ({"width": 16, "height": 16}, (False, True, 1)),
        ({"width": 15, "height": 16}, (False, False, 1)),
        ({"width": 16, "height": 15}, (False, False, 1)),
    ],
)
def test_pictures_may_have_fields_where_a_deinterlacer_can_take_them(
    fields: dict[str, object], expected: tuple[bool, bool, int]
) -> None:
    found = read(**fields)

    assert (found.is_interlaced, found.may_have_fields, found.reordered_fields) == (
        expected
    )


@pytest.mark.parametrize(
    ("fields", "is_usual"),
    [
        ({}, True),
        ({"color_range": "tv"}, True),
        ({"color_range": "pc"}, False),
        ({"pix_fmt": "yuvj420p"}, False),
        ({"pix_fmt": "gray"}, False),
    ],
)
def test_only_limited_ranges_of_yuv_are_usual(
    fields: dict[str, object], *, is_usual: bool
) -> None:
    assert read(**fields).colour.is_usual is is_usual


def test_a_picture_is_turned_by_the_first_whole_matrix() -> None:
    sides = [
        {"displaymatrix": "00000000: 1 2 many"},
        written(UPSIDE_DOWN[:8]),
        written((*UPSIDE_DOWN, 1)),
        written((0, 65536, 0, -65536, 0, 0, 0, 0, 1)),
    ]

    assert read(side_data_list=sides).geometry.turn == (-1, 0, 0, -1)
    assert read(side_data_list=sides[:2]).geometry.turn == UPRIGHT


@pytest.mark.parametrize(
    ("matrix", "turn"),
    [
        (None, (1, 0, 0, 1)),
        ((3, 2, 0, 2, 1), (1, 0, 0, 1)),
        ((0, 0, 0, 0, 0), (1, 0, 0, 1)),
        ((-1, 0, 0, 0, 1), (-1, 0, 0, 1)),
        ((1, 0, 0, 0, -1), (1, 0, 0, -1)),
        ((0, 1, 9, 0, 0), (0, 1, 1, 0)),
        ((0, -1, 9, 0, 0), (0, -1, 1, 0)),
        ((0, 0, 9, -1, 0), (0, 1, -1, 0)),
    ],
)
def test_a_slanting_picture_is_turned_to_the_nearest_quarter(
    matrix: tuple[int, ...] | None, turn: tuple[int, ...]
) -> None:
    assert turn_of(matrix) == turn


@pytest.mark.parametrize(
    ("changes", "size_px"),
    [
        ({}, (640, 360)),
        ({"crop": Crop(left_px=30, right_px=10, top_px=9, bottom_px=1)}, (600, 350)),
        ({"crop": Crop(left_px=639)}, (1, 360)),
        ({"crop": Crop(left_px=600, right_px=40)}, (640, 360)),
        ({"crop": Crop(top_px=300, bottom_px=60)}, (640, 360)),
        ({"crop": Crop(top_px=359)}, (640, 1)),
        ({"crop": Crop(left_px=-1, right_px=5)}, (640, 360)),
        ({"pixel_shape": Fraction(4, 3)}, (853, 360)),
        ({"pixel_shape": Fraction(4, 3), "aspect": Fraction(1)}, (360, 360)),
        ({"pixel_shape": Fraction(0)}, (640, 360)),
        ({"pixel_shape": Fraction(1, 2), "turn": (0, 1, -1, 0)}, (360, 320)),
    ],
)
def test_the_shown_picture_is_cropped_then_stretched_then_turned(
    changes: dict[str, Any], size_px: tuple[int, int]
) -> None:
    plain = Geometry(decoded_width_px=640, decoded_height_px=360)

    assert attrs.evolve(plain, **changes).size_px == size_px


def test_filters_crop_and_turn_what_is_shown_and_nothing_else() -> None:
    plain = Geometry(decoded_width_px=640, decoded_height_px=360)
    cropped = attrs.evolve(plain, crop=Crop(left_px=30, right_px=10, top_px=9))
    turned = attrs.evolve(cropped, turn=(0, 1, -1, 0))

    assert plain.filters() == []
    assert cropped.filters() == ["crop=600:351:30:9"]
    assert turned.filters() == [
        *("crop=600:351:30:9", "transpose=clock"),
        "sidedata=mode=delete:type=DISPLAYMATRIX",
    ]


def test_the_first_picture_is_believed_before_the_headers() -> None:
    streams = Streams(
        container="mov",
        start_s=0.0,
        video=read(),
        audio=(),
    )
    nothing = {"frames": ["nonsense", {"width": 0, "height": 9}, {"width": 9}]}
    seen = {
        "frames": [
            {"width": 0},
            {
                "width": 320,
                "height": 240,
                "interlaced_frame": 1,
                "side_data_list": [written(UPSIDE_DOWN)],
            },
        ]
    }

    unchanged = with_first_picture(streams, json.dumps(nothing).encode())
    changed = with_first_picture(streams, json.dumps(seen).encode()).video

    assert unchanged is streams
    assert changed.geometry.size_px == (320, 240)
    assert changed.geometry.turn == (-1, 0, 0, -1)
    assert (streams.video.is_interlaced, changed.is_interlaced) == (False, True)
    with pytest.raises(UnusableSourceError, match="8193x1"):
        with_first_picture(streams, b'{"frames": [{"width": 8193, "height": 1}]}')


def test_a_picture_that_the_decoder_has_cropped_is_not_cropped_again() -> None:
    crop = Crop(left_px=20, top_px=10)
    headers = Geometry(decoded_width_px=640, decoded_height_px=360, crop=crop)

    assert headers.seen(620, 350, None).size_px == (620, 350)
    assert headers.seen(640, 360, None).size_px == (620, 350)
    assert headers.seen(620, 360, None).size_px == (600, 350)
    turned = attrs.evolve(headers, turn=(0, 1, -1, 0))
    assert turned.seen(640, 360, UPSIDE_DOWN).turn == (0, 1, -1, 0)


def test_fields_that_are_nonsense_count_as_none() -> None:
    report = {
        "whole": "12",
        "largest": 2**53 - 1,
        "larger": -(2**53),
        "list": [1],
        "rate": "30000/1001",
        "ratio": "4:3",
        "none": "1/0",
        "long": "1/12345678901",
        "name": "bt709",
        "unknown": "unknown",
        "words": "a b",
        "longest": "x" * 32,
        "longer": "x" * 33,
    }

    numbers = [integer(report, one) for one in ("whole", "largest", "larger", "list")]
    rates = [rate(report, one) for one in ("rate", "ratio", "none", "long", "words")]
    names = [known(report, one) for one in ("name", "unknown", "words", "longer", "no")]

    assert numbers == [12, 2**53 - 1, 0, 0]
    assert rates == [Fraction(30000, 1001), Fraction(4, 3), 0, 0, 0]
    assert names == ["bt709", "", "", "", ""]
    assert known(report, "longest") == "x" * 32
    assert parse(b"[]") == {}
    for text in (b"{", b"[" * 100_000):
        with pytest.raises(UnusableSourceError):
            parse(text)
