"""
Where a job is cut, by arithmetic.
"""

from fractions import Fraction
from itertools import pairwise
from math import ceil

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hvcore.plugin_api import (
    AudioTrackInfo,
    CaptionTrackInfo,
    EncodingSettings,
    Part,
    PixelFormat,
    Preset,
    SourceInfo,
    Speed,
    TranscodeOrder,
    VideoTrackInfo,
    build_ladder,
)
from hvcore_transcoder_ffmpeg.encode.spans import Span
from hvcore_transcoder_ffmpeg.parts import Cutting, cut
from hvcore_transcoder_ffmpeg.work import decoding_s, encoding_s

HOUR_S = 3600.0
RATES = st.sampled_from(
    [
        *(Fraction(rate) for rate in (1, 2, 5, 12, 15, 24, 25, 30, 50, 60, 240)),
        *(Fraction(rate, 1001) for rate in (24000, 30000, 60000, 120000)),
        Fraction(14985, 1001),
        Fraction(7013, 997),
    ]
)
DURATIONS = st.floats(min_value=0.04, max_value=12 * HOUR_S)
WORKERS = st.integers(min_value=1, max_value=40)


def make_source_order(  # noqa: PLR0913 - each says one thing
    duration_s: float,
    *,
    workers: int = 1,
    rate: Fraction = Fraction(30),
    short_edge_px: int = 1080,
    has_sound: bool = True,
    has_captions: bool = False,
    is_seekable: bool = True,
    **settings: object,
) -> TranscodeOrder:
    """
    Return an order for a source that nobody has to make.
    """
    info = SourceInfo(
        duration_s=duration_s,
        size_bytes=1,
        container="mov",
        video=VideoTrackInfo(
            stream_index=0,
            width_px=short_edge_px * 16 // 9,
            height_px=short_edge_px,
            frame_rate=rate,
            pixel_format=PixelFormat.YUV420P,
        ),
        audio=(
            (AudioTrackInfo(stream_index=1, channels=2, sample_rate_hz=48000),)
            if has_sound
            else ()
        ),
        captions=(
            (CaptionTrackInfo(stream_index=2, codec="subrip"),) if has_captions else ()
        ),
        is_seekable=is_seekable,
    )
    wanted = EncodingSettings(**{"preset": Preset.HIGH, **settings})
    ladder = build_ladder(info, wanted)
    return TranscodeOrder(
        source=info, settings=wanted, ladder=ladder, segment_s=6, workers=workers
    )


def _pictures(order: TranscodeOrder, cores: int = 4) -> list[Part]:
    return [part for part in cut(order, Cutting(cores=cores)) if part.has_pictures]


def _sizes(order: TranscodeOrder, parts: list[Part]) -> list[int]:
    segments = ceil(order.source.duration_s / 6)
    edges = [round(part.start_s / 6) for part in parts] + [segments]
    return [end - first for first, end in pairwise(edges)]


@settings(deadline=None, max_examples=50)
@given(duration_s=DURATIONS, rate=RATES, workers=WORKERS, has_sound=st.booleans())
def test_every_frame_belongs_to_one_part(
    duration_s: float, rate: Fraction, workers: int, *, has_sound: bool
) -> None:
    order = make_source_order(
        duration_s, rate=rate, workers=workers, has_sound=has_sound
    )

    parts = _pictures(order)

    spans = [Span.of(part) for part in parts]
    assert spans[0].first_frame == 0
    assert [one.end_frame for one in spans[:-1]] == [
        one.first_frame for one in spans[1:]
    ]
    assert spans[-1].end_segment is None
    assert spans[-1].end_frame >= duration_s * spans[-1].frame_rate
    assert all(one.max_frames > 0 for one in spans)
    assert parts[-1].start_s < max(duration_s, 0.01)


@settings(deadline=None, max_examples=50)
@given(duration_s=DURATIONS, workers=WORKERS, has_captions=st.booleans())
def test_a_plan_is_the_same_each_time_and_weighs_one(
    duration_s: float, workers: int, *, has_captions: bool
) -> None:
    order = make_source_order(duration_s, workers=workers, has_captions=has_captions)

    parts = cut(order)

    assert parts == cut(order)
    assert [part.index for part in parts] == list(range(len(parts)))
    assert sum(part.weight for part in parts) == pytest.approx(1)
    assert sum(part.has_sound for part in parts) == 1


@settings(deadline=None, max_examples=50)
@given(duration_s=DURATIONS, workers=WORKERS)
def test_parts_are_about_equal_and_no_shorter_than_four_segments(
    duration_s: float, workers: int
) -> None:
    order = make_source_order(duration_s, workers=workers)

    parts = _pictures(order)

    sizes = _sizes(order, parts)
    assert max(sizes) - min(sizes) <= 1
    assert len(parts) == 1 or min(sizes) >= 4
    assert max(sizes) * 6 <= 96


@pytest.mark.parametrize("duration_s", [0.04, 6, 59.9, 60, 66, 90])
def test_one_worker_makes_a_short_video_in_one_process(duration_s: float) -> None:
    (part,) = cut(make_source_order(duration_s), Cutting(cores=4))

    assert part.has_pictures
    assert part.has_sound


@pytest.mark.parametrize(
    ("duration_s", "workers", "pictures"),
    [
        (43.0, 2, 2),
        (42.0, 2, 1),
        (60.0, 2, 2),
        (60.0, 3, 2),
        (72.0, 3, 3),
        (90.0, 3, 3),
        (600.0, 20, 20),
        (600.0, 40, 25),
        (100.0, 1, 2),
        (600.0, 1, 10),
        (600.0, 4, 12),
        (12 * HOUR_S, 1, 720),
        (12 * HOUR_S, 8, 720),
    ],
)
def test_a_job_has_work_for_every_worker(
    duration_s: float, workers: int, pictures: int
) -> None:
    assert len(_pictures(make_source_order(duration_s, workers=workers))) == pictures


def test_no_worker_gets_one_part_more_where_parts_cannot_be_shorter() -> None:
    order = make_source_order(90.0, workers=2, speed=Speed.FAST, two_pass=True)

    assert len(_pictures(order)) == 2


def test_a_cheap_ladder_is_cut_less_often_than_an_expensive_one() -> None:
    cheap = _pictures(make_source_order(HOUR_S, short_edge_px=360))
    usual = _pictures(make_source_order(HOUR_S))
    dear = _pictures(make_source_order(HOUR_S, speed=Speed.FAST, two_pass=True))

    assert [len(cheap), len(usual), len(dear)] == [40, 60, 120]


def _dear(duration_s: float, *, is_seekable: bool = True) -> TranscodeOrder:
    return make_source_order(
        duration_s,
        is_seekable=is_seekable,
        preset=Preset.ULTRA,
        pixel_format=PixelFormat.YUV420P12B,
        speed=Speed.ULTRASLOW,
        two_pass=True,
    )


@settings(deadline=None, max_examples=100)
@given(
    duration_s=DURATIONS,
    cores=st.integers(min_value=1, max_value=4),
    rate=RATES,
    speed=st.sampled_from(Speed),
    pixel_format=st.sampled_from([PixelFormat.YUV420P, PixelFormat.YUV420P12B]),
)
def test_no_part_of_several_segments_holds_a_worker_for_more_than_a_minute(
    duration_s: float,
    cores: int,
    rate: Fraction,
    speed: Speed,
    pixel_format: PixelFormat,
) -> None:
    order = make_source_order(
        duration_s,
        rate=rate,
        speed=speed,
        pixel_format=pixel_format,
        two_pass=True,
    )

    parts = _pictures(order, cores)

    # A part may have a frame more or less than its segments are long.
    frame_s = float(1 / order.ladder.rungs[0].frame_rate)
    longest_s = max(Span.of(part).length_s for part in parts) - frame_s
    assert longest_s <= 9 or longest_s * encoding_s(order, cores) <= 60


def test_an_expensive_clip_of_some_seconds_is_cut_at_each_segment() -> None:
    dear, longer = _dear(20.0), _dear(22.0)

    # What is left at the end is no part of its own if it is very short.
    assert _sizes(dear, _pictures(dear)) == [1, 1, 2]
    assert _sizes(longer, _pictures(longer)) == [1, 1, 1, 1]


@pytest.mark.parametrize("duration_s", [3.0, 42.0, 66.0, 78.0])
@pytest.mark.parametrize("is_seekable", [True, False])
def test_a_cheap_short_video_is_not_cut_on_two_cores(
    duration_s: float, *, is_seekable: bool
) -> None:
    order = make_source_order(duration_s, is_seekable=is_seekable)

    assert len(_pictures(order, cores=2)) == 1


def test_a_source_that_cannot_be_entered_is_cut_where_decoding_it_again_is_cheap() -> (
    None
):
    order = _dear(600.0, is_seekable=False)

    parts = _pictures(order, cores=2)

    assert len(parts) == 100
    again_s = sum(part.start_s for part in parts) * decoding_s(order.source.video, 2)
    assert again_s < 0.25 * 600 * encoding_s(order, 2)


def test_a_source_that_cannot_be_entered_anywhere_is_not_cut_for_many_workers() -> None:
    (part,) = cut(
        make_source_order(150.0, workers=8, is_seekable=False), Cutting(cores=4)
    )

    assert part == Part(index=0, order=part.order)


def test_sound_and_captions_are_made_once_and_first() -> None:
    sound, *pictures = cut(make_source_order(HOUR_S, has_captions=True))

    assert (sound.has_sound, sound.has_pictures) == (True, False)
    assert (sound.start_s, sound.end_s) == (0.0, None)
    assert not any(part.has_sound for part in pictures)


def test_without_sound_all_parts_have_pictures() -> None:
    parts = cut(make_source_order(HOUR_S, has_sound=False))

    assert all(part.has_pictures for part in parts)
    assert [part.has_sound for part in parts] == [True] + [False] * (len(parts) - 1)


@settings(deadline=None, max_examples=50)
@given(rate=RATES, segment=st.integers(min_value=0, max_value=7200))
def test_ffmpeg_cuts_a_part_where_it_would_cut_the_whole(
    rate: Fraction, segment: int
) -> None:
    order = make_source_order(12 * HOUR_S, rate=rate)
    span = attrs.evolve(
        Span.of(Part(index=0, order=order)),
        first_segment=segment,
        end_segment=segment + 15,
    )

    boundaries = [span.frame_of(segment + n) - span.first_frame for n in range(15)]

    # What its HLS muxer asks of the n-th key frame of its output.
    assert all(
        frame / span.frame_rate >= Fraction(f"{span.cut_after_s:.6f}") * number
        for number, frame in enumerate(boundaries)
    )
    # And the condition for key frames, which it computes in floating point.
    condition = span.key_frames.replace("gte", "_gte")
    for number, frame in enumerate(boundaries):
        for n, expected in ((frame, True), (frame - 1, False)):
            names = {"_gte": float.__ge__, "n": float(n), "n_forced": float(number)}
            assert bool(eval(condition, names)) is expected  # noqa: S307 - ours
