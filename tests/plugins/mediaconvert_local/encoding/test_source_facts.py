"""
Facts about inputs, as ffprobe reports them.
"""

from fractions import Fraction

import pytest

from hvcore_mediaconvert_local.encoding.source_facts import SourceFacts

COVER = {
    "codec_type": "video",
    "avg_frame_rate": "90000/1",
    "disposition": {"attached_pic": 1},
}


def video(mean: str, usual: str = "0/0") -> dict[str, object]:
    return {"codec_type": "video", "avg_frame_rate": mean, "r_frame_rate": usual}


@pytest.mark.parametrize(
    ("mean", "usual", "rate"),
    [
        ("30000/1001", "30/1", Fraction(30000, 1001)),
        ("0/0", "24/1", Fraction(24)),
        ("25/0", "24/1", Fraction(24)),
        ("240/1", "24/1", Fraction(240)),
        ("241/1", "24/1", Fraction(24)),
        ("90000/1", "90000/1", Fraction(25)),
        ("", "x/y", Fraction(25)),
    ],
)
def test_the_frame_rate_is_the_mean_else_the_usual_one_where_it_can_be_one(
    mean: str, usual: str, rate: Fraction
) -> None:
    facts = SourceFacts.read({"streams": [video(mean, usual)]})

    assert facts.frame_rate == rate


def test_a_cover_picture_is_no_video() -> None:
    sound = {"codec_type": "audio"}

    facts = SourceFacts.read({"streams": [COVER, sound, sound]})
    with_video = SourceFacts.read({"streams": [COVER, video("50/1")]})

    assert (facts.has_video, facts.audio_tracks) == (False, 2)
    assert facts.frame_rate == 25
    assert with_video.has_video
    assert with_video.frame_rate == 50


def test_the_end_of_the_picture_counts_from_the_beginning_of_the_input() -> None:
    format_ = {"duration": "12.5", "start_time": "1.4"}
    facts = SourceFacts.read({"format": format_, "streams": [video("50/1")]})

    assert (facts.duration_s, facts.starts_at_s) == (12.5, 1.4)
    assert facts.with_picture_end(11.4).picture_end_s == 10
    assert facts.with_picture_end(1.0).picture_end_s == 0
