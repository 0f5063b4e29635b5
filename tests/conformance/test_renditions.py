"""
Rates, times, frames and shapes of renditions are measured, and compared at the ends of what is allowed.
"""

from collections.abc import Sequence
from fractions import Fraction

import attrs
import pytest

from hvcore.conformance import renditions as renditions_module
from hvcore.conformance.alignment_rules import check_together
from hvcore.conformance.init_segments import Edit, TrackHeader, check_edit
from hvcore.conformance.renditions import Examined, Rendition
from hvcore.conformance.report import CheckLog
from hvcore.conformance.shape_rules import check_shapes
from tests.conformance.made_renditions import (
    SCALE,
    SOUND,
    TRACK,
    found,
    playlist,
    rendition,
    segment,
    shown,
)


@pytest.mark.parametrize(
    ("durations_s", "sizes", "peak", "average"),
    [
        # Of each size, 8 bits a byte, divided by seconds.
        ([2, 2], [100, 200], 800, 600),
        # A run has at least half the target, and at most one and a half.
        ([1, 2], [300, 100], 2400, Fraction(3200, 3)),
        ([Fraction(999, 1000), 2], [300, 100], 3200 / Fraction(2999, 1000), None),
        ([2, 1], [100, 300], 2400, None),
        ([1, 2, 1], [0, 400, 200], 1600, None),
        ([Fraction(1, 2)] * 6, [0, 0, 0, 90, 90, 90], 1440, None),
        ([Fraction(3, 4), Fraction(3, 2), Fraction(3, 4), 2], [3, 0, 3, 0], 16, None),
        ([3], [300], 800, 800),
        # None is as short: the average counts.
        ([4, 4], [100, 300], 400, 400),
    ],
)
def test_the_peak_is_that_of_runs_from_half_to_one_and_a_half_targets(
    durations_s: Sequence[Fraction],
    sizes: Sequence[int],
    peak: Fraction,
    average: Fraction | None,
) -> None:
    listed = playlist(durations_s)  # type: ignore[arg-type]  # fractions are numbers
    parts = [
        Examined(entry=entry, size_bytes=size, segment=None)
        for entry, size in zip(listed.segments, sizes, strict=True)
    ]

    rates = Rendition(listed, TRACK, parts).rates_bps

    assert rates
    assert rates[0] == peak
    assert average is None or rates[1] == average


def test_only_so_many_segments_of_a_run_are_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(renditions_module, "MOST_IN_A_WINDOW", 2)
    listed = playlist([0.5] * 6)
    parts = [Examined(entry=e, size_bytes=100, segment=None) for e in listed.segments]
    sizes = [400, 0, 400, 0, 0, 0]
    parts = [
        attrs.evolve(one, size_bytes=size)
        for one, size in zip(parts, sizes, strict=True)
    ]

    # Of three, it would be 800 bytes in 1.5 s.
    assert Rendition(listed, TRACK, parts).rates_bps == (3200, Fraction(6400, 3))


def test_unknown_times_and_rates_of_a_rendition_are_none() -> None:
    one, two = segment(0), segment(2000)

    whole = rendition([one, two])
    for unknown in (
        rendition([one, two], is_cut=True),
        rendition([one, None], sizes=[1, None]),
    ):
        assert unknown.starts_s is unknown.span_s is unknown.rates_bps is None
    for without in (rendition([one], track=None), rendition([], track=TRACK)):
        assert without.span_s is without.frame_rate is None
    no_target = Rendition(playlist([2], target_s=None), TRACK, whole.parts[:1])
    assert no_target.rates_bps is None
    assert Rendition(playlist([]), TRACK, []).rates_bps is None
    assert rendition([], track=None).kind == ""
    assert rendition([one], track=None).starts_s is None
    assert whole.starts_s == [0, 2]
    assert whole.span_s == (0, 4)


def test_a_rendition_begins_where_its_edit_list_says() -> None:
    edit = Edit(media_time=250, is_plain=True)
    first = segment(500, first_offset=750)

    track = attrs.evolve(TRACK, edit=edit)

    assert rendition([first, segment(2500)], track=track).span_s == (1, 5)
    assert rendition([first, segment(2500)]).span_s == (Fraction(5, 4), Fraction(21, 4))


@pytest.mark.parametrize(
    ("frames", "rate"),
    [
        ([(40, 40), (40, 40)], 25),
        # What the timescale cannot hold is off by a tick.
        ([(33, 34), (33, 34)], Fraction(2 * 58 * SCALE, 4000)),
        ([(33, 33), (34, 34)], Fraction((60 + 58) * SCALE, 4000)),
        ([(40, 42)], None),
        ([(40, 40), (42, 42)], None),
        ([(0, 1)], Fraction(2000 * SCALE, 2000)),
    ],
)
def test_the_frame_rate_is_known_of_frames_that_differ_by_a_tick_at_most(
    frames: Sequence[tuple[int, int]], rate: Fraction | None
) -> None:
    segments = [segment(2000 * n, frames=one) for n, one in enumerate(frames)]

    assert rendition(segments).frame_rate == rate
    still = segment(0, durations=(0, 0))
    assert rendition([still]).frame_rate is None


@pytest.mark.parametrize(
    ("starts", "track", "rules"),
    [
        ((0, 2000, 4000), TRACK, []),
        ((1, 2001, 3999), TRACK, []),
        ((0, 2002, 4002), TRACK, ["aligned"]),
        ((0, 2000), TRACK, ["aligned"]),
        ((0, 2000, 4000), attrs.evolve(TRACK, timescale=SCALE + 1), None),
        ((0, 2000, 4000), None, []),
    ],
)
def test_segments_of_video_begin_within_a_tick_of_each_other(
    starts: Sequence[int], track: TrackHeader | None, rules: list[str] | None
) -> None:
    first = rendition([segment(n) for n in (0, 2000, 4000)])
    # A rendition without a track is no video: it is compared with none.
    other = rendition([segment(n) for n in starts], track=track, name="b.m3u8")
    log = CheckLog()

    check_together([first, other], log)

    alone = [("several-variants", "a.m3u8")] if track is None else []
    if rules is None:
        assert found(log) == [("aligned", "b.m3u8"), ("timescale", "init")]
    else:
        assert found(log) == [(rule, "b.m3u8") for rule in rules] + alone


@pytest.mark.parametrize(
    ("late_ticks", "rules"),
    [
        *((late, []) for late in (-60, 0, 60)),
        *((late, ["same-duration-close"]) for late in (-61, 61, 2000)),
        (2001, ["same-duration"]),
    ],
)
def test_sound_may_be_off_by_a_frame_of_each_and_at_most_by_a_segment(
    late_ticks: int, rules: list[str]
) -> None:
    video = rendition([segment(9000), segment(11_000)])
    late = [segment(at + late_ticks, frames=(20, 20)) for at in (9000, 11_000)]
    sound = rendition(late, track=SOUND, name="s.m3u8")
    log = CheckLog()

    check_together([video, sound], log)

    assert [one for one in found(log) if one[0] != "several-variants"] == [
        (rule, "s.m3u8") for rule in rules * 2
    ]


def test_between_timescales_the_longer_tick_counts() -> None:
    first = rendition([segment(0), segment(2000)])
    finer = attrs.evolve(TRACK, timescale=2 * SCALE)

    for late, rules in ((2, ["timescale"]), (3, ["aligned", "timescale"])):
        for one, other in ((SCALE, 2 * SCALE), (2 * SCALE, SCALE)):
            made = {
                SCALE: first,
                2 * SCALE: rendition([segment(0), segment(4000 + late)], track=finer),
            }
            log = CheckLog()
            check_together([made[one], made[other]], log)
            assert [rule for rule, _ in found(log)] == rules


def test_messages_tell_the_times_of_both_renditions() -> None:
    video = [segment(0), segment(2000)]
    late = rendition([segment(0), segment(2500)], name="b.m3u8")
    sound = rendition([segment(5000), segment(7000)], track=SOUND, name="s.m3u8")
    log = CheckLog()

    check_together([rendition(video), late, sound], log)

    assert {one.message for one in log.report().findings} == {
        "The segment begins at 2.500000 s; that of the first rendition at 2.000000 s.",
        "Audio begins at 5.000 s, video at 0.000 s.",
        "Audio ends at 9.000 s, video at 4.000 s.",
    }


def test_the_longest_segments_and_frames_say_how_far_sound_may_be_off() -> None:
    video = [segment(0, frames=(20, 20)), segment(2000, duration=1000)]

    def rules(late: int, *, is_known: bool = True) -> list[str]:
        sound = [segment(late, frames=(20, 20)), segment(2000 + late, duration=1000)]
        parts = [*sound, *([] if is_known else [None])]
        log = CheckLog()
        check_together([rendition(video), rendition(parts, track=SOUND)], log)
        return [rule for rule, _ in found(log) if rule != "several-variants"]

    assert rules(80) == []
    assert rules(81) == rules(2000) == ["same-duration-close"] * 2
    assert rules(2001) == ["same-duration"] * 2
    # Of sound that cannot be read, nobody knows when it begins.
    assert rules(2001, is_known=False) == []


def test_targets_are_those_of_the_first_playlist_that_has_one() -> None:
    log = CheckLog()
    targets = {"a": None, "b": 6, "c": 6, "d": 7}

    check_together(
        [
            Rendition(playlist([2], name, target_s), None, [])
            for name, target_s in targets.items()
        ],
        log,
    )

    assert found(log) == [("same-target-duration", "d")]


@pytest.mark.parametrize(
    ("hole", "rules"), [(20, []), (21, ["sound-in-step"]), (0, [])]
)
def test_a_hole_in_sound_may_be_20_ms_long(hole: int, rules: list[str]) -> None:
    log = CheckLog()
    one = segment(0, frames=(20, 20), longest=20 + hole)

    check_together([rendition([one, None], track=SOUND)], log)

    assert [rule for rule, _ in found(log)] == rules


@pytest.mark.parametrize(
    ("kind", "edit", "is_cmf2", "rules"),
    [
        ("soun", None, True, []),
        ("soun", (SCALE, True), False, []),
        ("soun", (SCALE + 1, True), False, ["edit-list"]),
        ("soun", (0, False), False, ["edit-list"]),
        ("vide", (80, True), False, ["edit-list-none"]),
        ("vide", (79, True), False, ["edit-list"]),
        ("vide", (81, True), False, ["edit-list"]),
        ("vide", (80, False), False, ["edit-list"]),
        ("vide", (80, True), True, ["edit-list"]),
    ],
)
def test_an_edit_list_removes_priming_or_the_first_offset(
    kind: str, edit: tuple[int, bool] | None, rules: list[str], *, is_cmf2: bool
) -> None:
    made = Edit(media_time=edit[0], is_plain=edit[1]) if edit else None
    track = attrs.evolve(TRACK, kind=kind, edit=made, is_cmf2=is_cmf2)
    log = CheckLog()

    check_edit(track, 80, log)

    assert [rule for rule, _ in found(log)] == rules


@pytest.mark.parametrize(
    ("size", "is_alike"),
    [((94, 44), True), ((95, 44), False), ((94, 50), True), ((93, 50), False)],
)
def test_a_shape_may_be_rounded_by_two_pixels_each_way(
    size: tuple[int, int], *, is_alike: bool
) -> None:
    log = CheckLog()
    made = [shown(100, 50), shown(*size)]

    check_shapes(
        [rendition([], track=t, name=f"{t.pictures}") for t in made], None, log
    )

    assert bool(found(log)) is not is_alike


@pytest.mark.parametrize(
    ("size", "shown_px", "rules"),
    [
        # Rounding by two pixels of the width or the height is allowed, and no more.
        ((320, 180), None, []),
        ((322, 180), None, []),
        ((318, 180), None, []),
        ((326, 180), None, ["same-shape"]),
        ((314, 180), None, ["same-shape"]),
        ((320, 180), (640, 360), []),
        ((320, 180), (640, 366), ["source-shape"]),
        ((320, 180), (640, 367), ["source-shape"] * 2),
        ((326, 180), (1280, 720), ["same-shape"]),
    ],
)
def test_pictures_have_one_shape_but_for_rounding(
    size: tuple[int, int], shown_px: tuple[int, int] | None, rules: list[str]
) -> None:
    made = [
        rendition([], track=shown(1280, 720), name="large"),
        rendition([], track=shown(*size), name="small"),
        rendition([], track=TRACK, name="unknown"),
        rendition([], track=SOUND, name="sound"),
    ]
    log = CheckLog()

    check_shapes(made, shown_px, log)

    assert [rule for rule, _ in found(log)] == rules


def test_pictures_of_a_strange_kind_have_no_shape() -> None:
    log = CheckLog()

    check_shapes([rendition([], track=SOUND)], (1, 1), log)

    assert found(log) == []
