"""
Moments and animations that an address asks for.
"""

import pytest

from hvcore.domain.videos.moments import (
    Animation,
    PictureParameterError,
    read_animation,
    read_time,
)

FILM_S = 12.3456


@pytest.mark.parametrize(
    ("text", "tenths"),
    [
        ("0", 0),
        ("1", 10),
        ("1.0", 10),
        ("1.00", 10),
        ("1.09", 10),
        ("01.0", 10),
        ("12.34", 123),
        ("0.999999", 9),
    ],
)
def test_times_that_differ_by_less_than_a_step_are_one_moment(
    text: str, tenths: int
) -> None:
    moment = read_time([("time", text)])

    assert moment is not None
    assert moment.tenths == tenths


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "-1", "+1", "1e3", "1e308", "NaN", "nan", "inf", "-inf", "1,5"),
        *(
            "0x10",
            "1_0",
            "1.",
            ".5",
            "1.2.3",
            "1s",
            "00:12",
            "1234567",
            "\u0661",
            "1.0000001",
        ),
        "9" * 5000,
    ],
)
def test_a_time_that_is_no_number_of_seconds_is_refused(text: str) -> None:
    with pytest.raises(PictureParameterError, match="number of seconds"):
        read_time([("time", text)])


def test_a_time_that_is_there_twice_is_refused() -> None:
    with pytest.raises(PictureParameterError, match="once"):
        read_time([("time", "1"), ("time", "1")])


def test_a_query_without_a_time_names_no_moment() -> None:
    assert read_time([("start", "1"), ("width", "7")]) is None


@pytest.mark.parametrize("text", ["12.3", "12.34", "12.39", "0"])
def test_a_moment_up_to_the_end_is_within_the_video(text: str) -> None:
    moment = read_time([("time", text)])
    assert moment is not None

    moment.require_within(FILM_S)


@pytest.mark.parametrize("text", ["12.4", "13", "999999"])
def test_a_moment_behind_the_end_is_refused(text: str) -> None:
    moment = read_time([("time", text)])
    assert moment is not None

    with pytest.raises(PictureParameterError, match=r"at most 12\.346"):
        moment.require_within(FILM_S)


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ({}, "0-50-320.webp"),
        ({"start": "2"}, "20-70-320.webp"),
        ({"start": "10"}, "100-123-320.webp"),
        ({"start": "12.3"}, "123-124-320.webp"),
        ({"end": "10"}, "0-100-320.webp"),
        ({"start": "2.3", "end": "12.30", "width": "640"}, "23-123-640.webp"),
        ({"start": "2", "end": "2.1", "width": "16"}, "20-21-16.webp"),
    ],
)
def test_an_animation_has_a_start_an_end_and_a_width(
    query: dict[str, str], name: str
) -> None:
    found = read_animation([*query.items()]).within(FILM_S)

    assert found.file_name == name


@pytest.mark.parametrize(
    ("query", "wrong"),
    [
        ({"start": "x"}, "start"),
        ({"end": "-1"}, "end"),
        ({"start": "13"}, "start"),
        ({"end": "13"}, "end"),
        ({"end": "0"}, "end"),
        ({"start": "3", "end": "3.05"}, "end"),
        ({"start": "3", "end": "2"}, "end"),
        ({"start": "1", "end": "11.1"}, "end"),
        ({"width": "15"}, "width"),
        ({"width": "641"}, "width"),
        ({"width": "064"}, "width"),
        ({"width": "6e2"}, "width"),
        ({"width": "9" * 5000}, "width"),
        ({"width": ""}, "width"),
    ],
)
def test_an_animation_out_of_range_is_refused(
    query: dict[str, str], wrong: str
) -> None:
    with pytest.raises(PictureParameterError) as refused:
        read_animation([*query.items()]).within(FILM_S)

    assert refused.value.name == wrong


@pytest.mark.parametrize(
    ("video_px", "edge_px", "size_px"),
    [
        ((1920, 1080), 640, (640, 360)),
        ((1080, 1920), 640, (360, 640)),
        ((426, 240), 640, (426, 240)),
        ((3840, 16), 320, (320, 2)),
        ((1000, 1000), 101, (100, 100)),
    ],
)
def test_an_animation_has_the_shape_of_the_video_and_even_sides(
    video_px: tuple[int, int], edge_px: int, size_px: tuple[int, int]
) -> None:
    animation = Animation(start_tenths=0, end_tenths=10, edge_px=edge_px)

    assert animation.size_px(video_px) == size_px
