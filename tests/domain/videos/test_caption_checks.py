"""
Times of captions that a person has edited.
"""

import pytest

from hvcore.domain.videos.caption_checks import MOST_WRONG, spans_of, wrong_cues
from hvcore.domain.videos.captions import Cue, write_webvtt


def text_of(*times: str) -> str:
    cues = (f"{one}\nText {number}\n\n" for number, one in enumerate(times))
    return "WEBVTT\n\n" + "".join(cues)


def test_right_times_are_not_complained_about() -> None:
    text = text_of(
        "00:00:01.000 --> 00:00:03.000 line:0",
        "00:01.000 --> 00:02.000",
        "01:00:00.000 --> 01:00:10.000",
    )

    assert wrong_cues(text, end_ms=3_610_000) == []


@pytest.mark.parametrize(
    ("times", "message"),
    [
        ("00:00:05.000 --> 00:00:05.000", "must end after it begins"),
        ("00:00:05.000 --> 00:00:04.000", "must end after it begins"),
        ("00:00:01.999 --> 00:00:04.000", "begins before the one above it"),
        ("00:00:10.000 --> 00:00:11.000", "begins after the end of the video"),
        ("00:00:09.000 --> 00:00:10.001", "ends after the end of the video"),
        ("noon --> night", "has no times such as"),
        ("00:00:61.000 --> 00:01:02.000", "has no times such as"),
        ("00:00:02.000 --> 00:00:03.0000", "has no times such as"),
    ],
)
def test_a_wrong_time_is_told_with_its_place(times: str, message: str) -> None:
    text = text_of("00:00:02.000 --> 00:00:03.000", times)

    (wrong,) = wrong_cues(text, end_ms=10_000)

    assert (wrong.number, wrong.line) == (2, 6)
    assert wrong.sentence.startswith(f"Cue 2 (line 6) {message}")


def test_cues_that_nobody_has_changed_may_be_outside_of_the_video() -> None:
    text = text_of("00:00:02.000 --> 00:00:03.000", "00:00:20.000 --> 00:00:30.000")

    assert wrong_cues(text, end_ms=10_000, kept={(20_000, 30_000)}) == []
    assert len(wrong_cues(text, end_ms=10_000, kept={(20_000, 30_001)})) == 1


def test_of_many_wrong_times_the_first_are_told() -> None:
    text = text_of(*["00:00:02.000 --> 00:00:02.000"] * 100)

    assert [one.number for one in wrong_cues(text, end_ms=10_000)] == [
        *range(1, MOST_WRONG + 1)
    ]


def test_the_spans_of_a_written_file_are_those_of_its_cues() -> None:
    cues = [
        Cue(start_ms=0, end_ms=1_500, text="a -&gt; b", settings="line:0"),
        Cue(start_ms=3_600_000, end_ms=3_600_001, text="c"),
    ]

    assert spans_of(write_webvtt(cues)) == [(0, 1_500), (3_600_000, 3_600_001)]
