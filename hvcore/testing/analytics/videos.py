"""The promises of an analytics store about counts by video, with views and watched time."""

import random
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import partial
from itertools import product
from typing import Final

import attrs
import pytest

from hvcore.domain.analytics.segments import (
    ALL_TIME,
    DateRange,
    EnvironmentScope,
    SegmentServed,
)
from hvcore.domain.analytics.video_counts import (
    DayViews,
    RankedVideos,
    VideoCount,
    VideoLength,
    VideosInTurn,
    VideoSort,
    views_of,
    watched_s,
)
from hvcore.domain.ids import EnvId, VideoId
from hvcore.ports.analytics import AnalyticsStore
from hvcore.testing.analytics.kit import AnalyticsKit, Reopened
from hvcore.testing.analytics.served import (
    NOON,
    ORG,
    SEGMENT_BYTES,
    batch,
    batches_of,
    in_env,
    many,
    segment,
    taken_back,
)

_RANGES: Final = (
    ALL_TIME,
    DateRange(first=NOON.date().replace(day=1)),
    DateRange(last=NOON.date() + timedelta(days=10)),
    DateRange(first=NOON.date(), last=NOON.date()),
    DateRange(first=NOON.date() - timedelta(days=9), last=NOON.date()),
    DateRange(first=date(2026, 1, 1), last=date(2026, 1, 31)),
    DateRange(first=date(2026, 1, 2), last=date(2026, 3, 30)),
    DateRange(first=date(2025, 12, 31), last=date(2026, 2, 1)),
)
_LENGTHS_S: Final = (4.0, 6.0, 75.5, 600.0, 3_600.0, 12.0, 0.5)


class KnownLengths:
    """The lengths of videos in memory, which a store under test reads as the port VideoLengths."""

    def __init__(self) -> None:
        self._known: dict[VideoId, VideoLength] = {}
        self._changes = 0

    def change(self, video_id: str, length_s: float, *, env: str) -> None:
        """Set the length of a video of an environment, later than every earlier change."""
        self._changes += 1
        self._known[VideoId(video_id)] = VideoLength(
            org_id=ORG,
            env_id=EnvId(env),
            video_id=VideoId(video_id),
            length_s=length_s,
            changed_at=datetime(2026, 1, 1, tzinfo=UTC)
            + timedelta(seconds=self._changes),
        )

    def changed(
        self, since: datetime | None, after: VideoId, limit: int
    ) -> Sequence[VideoLength]:
        """Return up to ``limit`` lengths after the change at ``since`` of ``after``, oldest first."""
        found = sorted(self._known.values(), key=lambda one: one.changed_at)
        if since is not None:
            start = (since, after)
            found = [one for one in found if (one.changed_at, one.video_id) > start]
        return found[:limit]

    def each(
        self, scope: EnvironmentScope, after: VideoId, limit: int
    ) -> Sequence[VideoLength]:
        """Return up to ``limit`` lengths of an organization's videos after an id, sorted by id."""
        found = sorted(self._known.values(), key=lambda one: one.video_id)
        return [
            one for one in found if one.org_id == scope.org_id and one.video_id > after
        ][:limit]

    def of(self, videos: Collection[VideoId]) -> Mapping[VideoId, float]:
        """Return the lengths of the given videos in seconds, without videos of unknown length."""
        return {
            video: self._known[video].length_s
            for video in videos
            if video in self._known
        }


class CountsByVideoPromises(AnalyticsKit):
    """The promises of every AnalyticsStore about counts by video."""

    @pytest.fixture
    def store(self) -> AnalyticsStore:
        """Return a prepared store with nothing in it; the subclass closes it."""
        raise NotImplementedError("give the fixture: a prepared, empty store")

    def test_an_empty_store_has_no_videos(self, store: AnalyticsStore) -> None:
        """An empty store, and a scope without environments, have no videos and no views."""
        lengths = KnownLengths()
        lengths.change("vid_kit", 60, env="dev")

        for scope in (in_env("dev"), in_env()):
            for by_day in (False, True):
                asked = RankedVideos(
                    scope=scope, days=ALL_TIME, by_day=by_day, limit=20
                )
                assert list(store.ranked(asked, lengths)) == []
            assert not any(
                one.views
                for one in store.watched_by_day(scope, ALL_TIME, lengths).values()
            )

    def test_videos_by_figure_equal_a_recount(
        self, store: AnalyticsStore, reopened: Reopened
    ) -> None:
        """Videos of each range, sorted by each figure, equal a recount, in the store and reopened."""
        everything = many(seed=3, count=300)
        lengths = _lengths_of(everything)
        made = batches_of(everything, files=2)
        for one in made:
            store.write(one)
        again = reopened()
        assert isinstance(again, AnalyticsStore)

        _compare(store, everything, lengths)
        _compare(again, everything, lengths)

    def test_pages_join_into_the_whole(self, store: AnalyticsStore) -> None:
        """Pages of a sorted report, and of videos in turn, join into all counts without gaps."""
        everything = many(seed=4, count=120)
        lengths = _lengths_of(everything)
        for one in batches_of(everything, files=1):
            store.write(one)

        for by_day in (False, True):
            whole = RankedVideos(
                scope=in_env("dev"), days=ALL_TIME, by_day=by_day, limit=1_000
            )
            expected = list(store.ranked(whole, lengths))
            pages: list[VideoCount] = []
            while page := store.ranked(
                attrs.evolve(whole, skip=len(pages), limit=3), lengths
            ):
                pages += page
            assert pages == expected
            turns = VideosInTurn(
                org_id=ORG, env_id=EnvId("dev"), days=ALL_TIME, by_day=by_day, limit=3
            )
            found: list[VideoCount] = []
            while next_ones := store.in_turn(turns, lengths):
                found += next_ones
                turns = attrs.evolve(turns, after=next_ones[-1])
            assert found == sorted(expected, key=_turn)

    def test_a_late_count_is_in_its_month(self, store: AnalyticsStore) -> None:
        """A segment of a past month that comes late is in that month, and in no other one."""
        lengths = KnownLengths()
        lengths.change("vid_kit", 60, env="dev")
        late = NOON - timedelta(days=70)

        def segments(at: datetime) -> list[int]:
            asked = RankedVideos(scope=in_env("dev"), days=_month(at.date()), limit=20)
            return [one.segments for one in store.ranked(asked, lengths)]

        expected: Sequence[tuple[list[int], list[int]]] = (
            ([1], []),
            ([2], []),
            ([2], [1]),
        )
        for number, at in enumerate((NOON, NOON, late)):
            store.write(
                batch(
                    segment("vid_kit", env="dev", at=at), start=number * SEGMENT_BYTES
                )
            )
            assert (segments(NOON), segments(late)) == expected[number]

    def test_a_changed_length_changes_the_order(self, store: AnalyticsStore) -> None:
        """Once a video's length has changed, it is sorted with its new length, also in past months."""
        lengths = KnownLengths()
        for video in ("vid_a", "vid_b"):
            lengths.change(video, 60, env="dev")
        store.write(
            batch(*[segment(video, env="dev") for video in ("vid_a", "vid_a", "vid_b")])
        )
        asked = RankedVideos(scope=in_env("dev"), days=_month(NOON.date()), limit=20)
        before = [one.video_id for one in store.ranked(asked, lengths)]

        lengths.change("vid_b", 6, env="dev")
        found = store.ranked(asked, lengths)
        days = store.watched_by_day(asked.scope, asked.days, lengths)

        assert before == ["vid_a", "vid_b"]
        assert [(one.video_id, one.length_s) for one in found] == [
            ("vid_b", 6.0),
            ("vid_a", 60.0),
        ]
        assert days[NOON.date()].views == pytest.approx(1.2)
        assert days[NOON.date()].watched_s == pytest.approx(18)

    def test_a_video_whose_segments_were_taken_back_is_no_record(
        self, store: AnalyticsStore
    ) -> None:
        """A video whose segments were all taken back is in no report."""
        lengths = KnownLengths()
        lengths.change("vid_kit", 60, env="dev")
        served = batch(segment("vid_kit", env="dev"))
        store.write(served)
        back = attrs.evolve(taken_back(served), ignored=())
        store.write(attrs.evolve(back, id=attrs.evolve(back.id, file="kit-back.log")))

        for by_day in (False, True):
            for days in (ALL_TIME, _month(NOON.date())):
                asked = RankedVideos(
                    scope=in_env("dev"), days=days, by_day=by_day, limit=20
                )
                assert list(store.ranked(asked, lengths)) == []


def _compare(
    store: AnalyticsStore, everything: Sequence[SegmentServed], lengths: KnownLengths
) -> None:
    for scope, days, by_day in product(
        (in_env("dev"), in_env("dev", "Live-2")), _RANGES, (False, True)
    ):
        expected = _recounted(everything, lengths, scope, days, by_day=by_day)
        for sort, is_ascending in product(VideoSort, (False, True)):
            asked = RankedVideos(
                scope=scope,
                days=days,
                by_day=by_day,
                sort=sort,
                is_ascending=is_ascending,
                limit=1_000,
            )
            expected.sort(key=partial(_rank, sort), reverse=not is_ascending)
            assert list(store.ranked(asked, lengths)) == expected, asked
        if by_day:
            sums: dict[date, DayViews] = {}
            for one in expected:
                assert one.day is not None
                have = sums.get(one.day, DayViews())
                sums[one.day] = DayViews(
                    views=have.views + views_of(one.segments, one.length_s),
                    watched_s=have.watched_s + watched_s(one.segments, one.length_s),
                )
            found = store.watched_by_day(scope, days, lengths)
            assert {day: one.views for day, one in found.items()} == pytest.approx(
                {day: one.views for day, one in sums.items()}
            )
            assert {day: one.watched_s for day, one in found.items()} == pytest.approx(
                {day: one.watched_s for day, one in sums.items()}
            )


def _recounted(
    everything: Sequence[SegmentServed],
    lengths: KnownLengths,
    scope: EnvironmentScope,
    days: DateRange,
    *,
    by_day: bool,
) -> list[VideoCount]:
    first, last = days.first or date.min, days.last or date.max
    found: dict[tuple[VideoId, date | None], list[datetime]] = {}
    for one in everything:
        place, day = one.place, one.at.date()
        is_in = place.org_id == scope.org_id and place.env_id in scope.env_ids
        if is_in and first <= day <= last:
            key = (place.video_id, day if by_day else None)
            found.setdefault(key, []).append(one.at)
    known = lengths.of({video for video, _ in found})
    return [
        VideoCount(
            video_id=video,
            day=day,
            segments=len(moments),
            length_s=known[video],
            last_at=max(moments),
        )
        for (video, day), moments in found.items()
    ]


def _lengths_of(everything: Sequence[SegmentServed]) -> KnownLengths:
    lengths = KnownLengths()
    chance = random.Random(5)  # noqa: S311 - no secrets
    places = sorted(
        {(one.place.video_id, one.place.org_id, one.place.env_id) for one in everything}
    )
    for video_id, org_id, env_id in places:
        if org_id == ORG:
            lengths.change(video_id, chance.choice(_LENGTHS_S), env=env_id)
    return lengths


def _month(day: date) -> DateRange:
    first = day.replace(day=1)
    following = (first + timedelta(days=32)).replace(day=1)
    return DateRange(first=first, last=following - timedelta(days=1))


def _rank(sort: VideoSort, count: VideoCount) -> tuple[date, float, VideoId]:
    return (count.day or date.min, count.figure(sort), count.video_id)


def _turn(count: VideoCount) -> tuple[date, VideoId]:
    return (count.day or date.min, count.video_id)
