"""
Heights, views, days: the rules of analytics.
"""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from hvcore.domain.analytics.segments import (
    ALL_TIME,
    ClassCounts,
    DateRange,
    DayCount,
    SegmentPlace,
    SegmentServed,
    daily_range,
    estimated_views,
    fill_days,
    roll_up,
)
from hvcore.domain.analytics.usage import VideoTotal, amount_of
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.domain.processing.encoding import Preset
from hvcore.domain.videos.states import VideoState

TODAY = date(2026, 3, 10)
PLACE = SegmentPlace(
    org_id=OrgId("org_a"), env_id=EnvId("dev"), video_id=VideoId("vid_1"), height_px=720
)


def day(number: int) -> DayCount:
    return DayCount(day=date(2026, 3, number), videos=1, heights={720: number})


@pytest.mark.parametrize(
    ("height_px", "expected"),
    [
        (2160, ClassCounts(hd=7, sd=0, ld=0)),
        (1080, ClassCounts(hd=7, sd=0, ld=0)),
        (1079, ClassCounts(hd=0, sd=7, ld=0)),
        (720, ClassCounts(hd=0, sd=7, ld=0)),
        (719, ClassCounts(hd=0, sd=0, ld=7)),
        (480, ClassCounts(hd=0, sd=0, ld=7)),
        (144, ClassCounts(hd=0, sd=0, ld=7)),
    ],
)
def test_a_height_between_two_classes_belongs_to_the_lower(
    height_px: int, expected: ClassCounts
) -> None:
    count = DayCount(day=date(2026, 1, 1), heights={height_px: 7})

    assert count.by_class() == expected


@pytest.mark.parametrize(
    ("segments", "duration_s", "views"),
    [
        (0, 60.0, 0),
        (10, 60.0, 1),
        (4, 60.0, 0),
        (5, 60.0, 1),
        (25, 60.0, 3),
        (12_340, 60.0, 1234),
        (1, 1.0, 6),
        (5, 0.0, 0),
    ],
)
def test_views_are_segments_by_segments_of_the_video_rounded(
    segments: int, duration_s: float, views: int
) -> None:
    assert estimated_views(segments, duration_s) == views


def test_segments_are_counted_by_place_and_utc_day() -> None:
    first = datetime(2026, 1, 1, 23, 59, 59, tzinfo=UTC)
    # Still the same UTC day, whatever the zone says.
    same_day = datetime(2026, 1, 2, 0, 59, tzinfo=timezone(timedelta(hours=1)))
    next_day = first + timedelta(seconds=1)

    counts = roll_up(
        SegmentServed(place=PLACE, at=at) for at in (first, same_day, next_day)
    )

    found = [
        (count.day, count.segments, count.first_at, count.last_at) for count in counts
    ]
    assert found == [
        (date(2026, 1, 1), 2, same_day, first),
        (date(2026, 1, 2), 1, next_day, next_day),
    ]


def test_without_dates_the_last_30_days_and_today_are_asked_for() -> None:
    assert daily_range(ALL_TIME, TODAY) == DateRange(first=date(2026, 2, 8), last=TODAY)


def test_one_date_leaves_the_other_side_open() -> None:
    asked = DateRange(first=date(2020, 1, 1))

    assert daily_range(asked, TODAY) == asked


def test_filling_adds_the_empty_days_of_the_range() -> None:
    days = DateRange(first=date(2026, 3, 1), last=date(2026, 3, 4))

    filled = fill_days([day(2)], days, TODAY)

    assert [(c.day.day, c.segments, c.videos) for c in filled] == [
        (1, 0, 0),
        (2, 2, 1),
        (3, 0, 0),
        (4, 0, 0),
    ]


def test_filling_an_open_end_goes_on_until_today() -> None:
    filled = fill_days([], DateRange(first=date(2026, 3, 8)), TODAY)

    assert [c.day.day for c in filled] == [8, 9, 10]


def test_filling_an_open_beginning_begins_with_the_first_delivery() -> None:
    filled = fill_days([day(3)], DateRange(last=date(2026, 3, 5)), TODAY)

    assert [c.day.day for c in filled] == [3, 4, 5]


def test_filling_nothing_at_all_adds_one_day() -> None:
    assert len(fill_days([], DateRange(last=date(9999, 12, 31)), TODAY)) == 1


def test_a_range_that_lies_ahead_is_not_filled() -> None:
    assert fill_days([], DateRange(first=date(2026, 3, 11)), TODAY) == []


def test_filling_never_makes_an_endless_answer() -> None:
    old = DayCount(day=date(2000, 1, 1), videos=1, heights={480: 1})

    filled = fill_days([old], DateRange(first=date(1, 1, 1)), TODAY)

    assert len(filled) == 367
    assert filled[0] == old
    assert filled[-1].day == TODAY


def test_only_ready_videos_have_a_duration_and_only_listed_ones_count() -> None:
    def total(state: VideoState, preset: Preset, duration_ms: int) -> VideoTotal:
        return VideoTotal(
            env_id=EnvId("dev"),
            state=state,
            preset=preset,
            videos=2,
            duration_ms=duration_ms,
        )

    amount = amount_of(
        [
            total(VideoState.READY, Preset.HIGH, 3_000),
            total(VideoState.READY, Preset.ULTRA, 6_500),
            total(VideoState.FAILED, Preset.HIGH, 7_000),
            total(VideoState.TRANSCODING, Preset.HIGH, 0),
            total(VideoState.DELETED, Preset.HIGH, 9_000),
            total(VideoState.AWAITING_UPLOAD, Preset.HIGH, 9_000),
        ]
    )

    assert (amount.videos, amount.ready) == (8, 4)
    assert amount.durations_s == {
        Preset.STANDARD: 0.0,
        Preset.HIGH: 3.0,
        Preset.ULTRA: 6.5,
    }
    assert amount.mean_duration_s == 9.5 / 4


def test_without_ready_videos_the_mean_duration_is_0() -> None:
    assert amount_of([]).mean_duration_s == 0.0
