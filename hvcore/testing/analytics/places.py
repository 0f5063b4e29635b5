"""The promises of an analytics sink about the tenant, video, height and day of each count."""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Final

import attrs

from hvcore.domain.analytics.segments import (
    BatchId,
    SegmentPlace,
    ServedBatch,
    ServedCount,
)
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.ports.analytics import AnalyticsSink
from hvcore.testing.analytics.kit import FILE, AnalyticsKit, Reopened
from hvcore.testing.analytics.served import NOON, batch, segment
from hvcore.testing.local_time import local_time

_TENANTS: Final = (
    *(("org_kit", "dev"), ("org_kit", "live"), ("org_other", "dev")),
    ("org_other", "staging"),
)
"""Organizations with environments of the same name, and with environments of other names."""
HEIGHTS_PX: Final = (
    *(0, 1, 2, 144, 240, 255, 256, 360, 480, 576, 719, 720, 1080, 1081, 1440, 2160),
    *(4095, 4096, 4320),
)
"""Heights of segments from 0, which is sound, to the highest, with the limits of common number types."""
_DAYS_FROM_TODAY: Final = (-800, -366, -31, -1, 0, 1, 2, 31, 400)
_NOON_S_DAY: Final = NOON.date()
_DAYS: Final = (
    *(date(1999, 12, 31), date(2024, 2, 29), date(2025, 12, 31), date(2026, 1, 1)),
    date(2038, 1, 20),
)


class PlacePromises(AnalyticsKit):
    """The promises of an analytics sink to keep organization, environment, video, height and day of each count."""

    def test_counts_stay_with_their_organization_and_environment(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """Counts of several tenants in one batch stay with their organization and environment."""
        made = [
            _count(
                _place(tenant, video=f"vid_{number}", height_px=100 + number),
                number + 1,
            )
            for number, tenant in enumerate(_TENANTS)
        ]
        sink.write(_batch(made))
        sink.write(_batch(made[::-1], start=10))
        strange = [
            attrs.evolve(one.place, org_id=OrgId(org), env_id=EnvId(env))
            for one in made
            for org, env in _TENANTS
            if (one.place.org_id, one.place.env_id) != (org, env)
        ]

        for each in (sink, reopened()):
            self._assert_counted(each, [*made, *made])
            found = [self.counted_at(each, place, NOON.date()) for place in strange]
            assert found == [0] * len(strange), "another tenant has them"

    def test_videos_of_a_tenant_have_counts_of_their_own(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """Two videos of a tenant that are alike in all else have counts of their own."""
        made = [
            _count(_place(_TENANTS[0], video=f"vid_{number}"), number + 1)
            for number in range(12)
        ]
        sink.write(_batch(made))

        for each in (sink, reopened()):
            self._assert_counted(each, made)

    def test_each_height_is_counted_for_itself_and_so_is_sound(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """Each height from 0 (sound) to 4320 is counted by itself: none is dropped, rounded or joined."""
        made = [
            _count(_place(tenant, video=f"vid_{org}", height_px=px), number + 1 + org)
            for org, tenant in enumerate(_TENANTS[1:3])
            for number, px in enumerate(HEIGHTS_PX)
        ]
        sink.write(_batch(made))
        sink.write(_batch(made, start=10))

        for each in (sink, reopened()):
            self._assert_counted(each, [*made, *made])

    def test_sound_alone_is_counted(self, sink: AnalyticsSink) -> None:
        """Segments of a video without a picture are counted, with the height 0."""
        sound = [_count(_place(_TENANTS[0], height_px=0), 3)]
        sink.write(_batch(sound))

        self._assert_counted(sink, sound)
        assert sink.position(FILE) == 10

    def test_days_before_and_after_today_are_counted(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """Segments of days before and after today are counted, because files arrive late and clocks differ."""
        today = datetime.now(UTC).date()
        days = {*_DAYS, *(today + timedelta(days=n) for n in _DAYS_FROM_TODAY)}
        made = [
            _count(_place(tenant, video=f"vid_{org}"), number + 1 + org, day=day)
            for org, tenant in enumerate(_TENANTS[1:3])
            for number, day in enumerate(sorted(days))
        ]
        for number, one in enumerate(made):
            sink.write(_batch([one], start=10 * number))
        sink.write(_batch(made, file="kit-b.log"))

        for each in (sink, reopened()):
            self._assert_counted(each, [*made, *made])

    def test_a_day_is_the_batch_s_wherever_the_machine_is(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """A segment is counted on its UTC day, whatever the time zone of the process."""
        place, midnight = _place(_TENANTS[0]), NOON - timedelta(hours=12)
        for number, zone in enumerate(("KIT-14", "KIT+12", "KIT-9")):
            with local_time(zone):
                one = _count(place, 1, day=midnight.date())
                late = attrs.evolve(one, last_at=midnight + timedelta(hours=23.9))
                writer = reopened()
                writer.write(_batch([late], start=10 * number))

        self._assert_counted(sink, [_count(place, 3, day=midnight.date())])

    def test_counts_of_several_batches_add_up_cell_by_cell(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """Counts of several batches, sinks and files add up for each tenant, height and day."""
        sinks = [sink, reopened()]
        made = [
            _count(
                _place(tenant, video=f"vid_{number}", height_px=px),
                number + px % 7 + 1,
                day=NOON.date() + timedelta(days=day),
            )
            for number, tenant in enumerate(_TENANTS)
            for px in (0, 360, 2160)
            for day in (-1, 0, 1)
        ]
        for turn in range(4):
            writer, file = sinks[turn % 2], f"kit-{turn // 2}.log"
            writer.write(_batch(made[turn:], file=file, start=10 * (turn % 2)))

        everything = [one for turn in range(4) for one in made[turn:]]
        for each in (*sinks, reopened()):
            self._assert_counted(each, everything)

    def test_sinks_of_other_data_share_nothing(
        self, sink: AnalyticsSink, elsewhere: AnalyticsSink
    ) -> None:
        """Two sinks of one process with other data share neither counts nor positions."""
        ours, theirs = [_count(_place(_TENANTS[0]), n) for n in (2, 5)]
        sink.write(_batch([ours]))
        before = (
            elsewhere.position(FILE),
            self.counted(elsewhere, ours.place.video_id),
        )
        elsewhere.write(_batch([theirs], end=30))
        sink.write(_batch([ours], start=10))
        elsewhere.forget(FILE)

        assert before == (0, 0)
        assert (sink.position(FILE), elsewhere.position(FILE)) == (20, 0)
        self._assert_counted(sink, [ours, ours])
        self._assert_counted(elsewhere, [theirs])

    def _assert_counted(self, sink: AnalyticsSink, made: Iterable[ServedCount]) -> None:
        """Assert the count of each place and day, and that each video has no further counts."""
        cells: dict[tuple[SegmentPlace, date], int] = {}
        videos: dict[VideoId, int] = {}
        for one in made:
            cell, video = (one.place, one.day), one.place.video_id
            cells[cell] = cells.get(cell, 0) + one.segments
            videos[video] = videos.get(video, 0) + one.segments
        assert {video: self.counted(sink, video) for video in videos} == videos
        for (place, day), segments in cells.items():
            found = self.counted_at(sink, place, day)
            assert found == segments, f"{place} on {day}: {found}, not {segments}"


def _place(
    tenant: tuple[str, str], *, video: str = "vid_0", height_px: int = 720
) -> SegmentPlace:
    org, env = tenant
    return SegmentPlace(
        org_id=OrgId(org),
        env_id=EnvId(env),
        video_id=VideoId(video),
        height_px=height_px,
    )


def _count(
    place: SegmentPlace, segments: int, *, day: date = _NOON_S_DAY
) -> ServedCount:
    at = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    return ServedCount(place=place, day=day, segments=segments, first_at=at, last_at=at)


def _batch(
    counts: Sequence[ServedCount], *, file: str = FILE, start: int = 0, end: int = 0
) -> ServedBatch:
    made = batch(segment(), file=file, start=start)
    part = BatchId(file=file, start=start, end=end or made.id.end)
    return ServedBatch(id=part, counts=tuple(counts))
