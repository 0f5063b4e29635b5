"""The promises of an analytics store: each answer equals what a recount of all segments gives."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final

import attrs
import pytest

from hvcore.domain.analytics.segments import (
    ALL_TIME,
    DateRange,
    EnvironmentScope,
    Scope,
    SegmentPlace,
    ServedTotals,
    VideoScope,
)
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.ports.analytics import AnalyticsSink, AnalyticsStore
from hvcore.testing.analytics.kit import Reopened
from hvcore.testing.analytics.recount import Recount
from hvcore.testing.analytics.served import (
    ENV,
    NOON,
    SEGMENT_BYTES,
    VIDEO,
    batch,
    batches_of,
    in_env,
    many,
    segment,
)
from hvcore.testing.analytics.sinks import AnalyticsSinkConformance
from hvcore.testing.analytics.values import LARGE
from hvcore.testing.analytics.videos import CountsByVideoPromises
from hvcore.testing.local_time import local_time

_LOOK_ALIKES: Final = (
    *(("org_kit", "dev"), ("ORG_KIT", "dev"), ("orgXkit", "dev"), ("org_kit ", "dev")),
    *(("org_kit", "Dev"), ("org_kit", "d_v"), ("org_kit", "dev\t"), ("org", "_kitdev")),
    *(("org_é", 'd"v'), ("org_e\u0301", "d'v"), ("%", "%"), ("dev", "org_kit")),
)
"""Ids of organizations and environments that some databases take for equal."""


class AnalyticsStoreConformance(CountsByVideoPromises, AnalyticsSinkConformance):
    """The promises of every AnalyticsStore, which include those of an analytics sink."""

    @pytest.fixture
    def store(self) -> AnalyticsStore:
        """Return a prepared store with nothing in it; the subclass closes it."""
        raise NotImplementedError("give the fixture: a prepared, empty store")

    @pytest.fixture
    def sink(self, store: AnalyticsStore) -> AnalyticsSink:
        """Return the store, which is a sink as well."""
        return store

    def counted(self, sink: AnalyticsSink, video_id: VideoId) -> int:
        """Return the segments of a video that the store says were served."""
        assert isinstance(sink, AnalyticsStore)
        return sink.served([video_id]).get(video_id, 0)

    def counted_at(self, sink: AnalyticsSink, place: SegmentPlace, day: date) -> int:
        """Return the segments of a place on a day: the lower of the video's and the environment's answer."""
        assert isinstance(sink, AnalyticsStore)
        only = DateRange(first=day, last=day)
        days = sink.daily(VideoScope(video_id=place.video_id), only)
        of_video = sum(one.heights.get(place.height_px, 0) for one in days)
        heights = sink.by_height(_scope(place.org_id, place.env_id), only)
        of_env = sum(h.segments for h in heights if h.height_px == place.height_px)
        # A video is of one environment: there are its segments, and others beside.
        return min(of_video, of_env)

    def test_an_empty_store_answers(self, store: AnalyticsStore) -> None:
        """An empty store answers each question with zeros or empty lists, and no error."""
        scopes: Sequence[Scope] = [in_env(ENV), VideoScope(video_id=VIDEO)]

        assert not any(store.served([VIDEO]).values())
        assert store.served([]) == {}
        assert not any(
            one.segments
            for one in store.by_environment(in_env(ENV), NOON.date()).values()
        )
        for scope in scopes:
            assert store.totals(scope, ALL_TIME) == ServedTotals()
            assert list(store.daily(scope, ALL_TIME)) == []
            assert list(store.by_height(scope, ALL_TIME)) == []

    def test_no_environment_is_not_every_environment(
        self, store: AnalyticsStore
    ) -> None:
        """A scope without environments gets no segments, instead of all."""
        store.write(batch(segment()))
        none = in_env()

        assert store.by_environment(none, NOON.date()) == {}
        assert store.totals(none, ALL_TIME) == ServedTotals()
        assert list(store.daily(none, ALL_TIME)) == []
        assert list(store.by_height(none, ALL_TIME)) == []

    def test_both_ends_of_a_range_belong_to_it(self, store: AnalyticsStore) -> None:
        """A range of UTC days includes both ends; None leaves a side open."""
        days = [NOON.date() + timedelta(days=number) for number in (0, 1, 5)]
        store.write(batch(*(segment(at=NOON + (day - days[0])) for day in days)))
        expected = {
            DateRange(): days,
            DateRange(first=days[1]): days[1:],
            DateRange(last=days[1]): days[:2],
            DateRange(first=days[1], last=days[1]): [days[1]],
            DateRange(first=date(2026, 1, 3), last=date(2026, 1, 5)): [],
            DateRange(first=days[2], last=days[0]): [],
        }
        for scope in (in_env(ENV), VideoScope(video_id=VIDEO)):
            for asked, found in expected.items():
                answered = store.daily(scope, asked)
                assert [one.day for one in answered] == found, asked
                assert store.totals(scope, asked).days == len(found), asked
                heights = store.by_height(scope, asked)
                assert sum(one.days for one in heights) == len(found), asked

    def test_moments_keep_their_milliseconds(self, store: AnalyticsStore) -> None:
        """The first and the last moment of served segments are exact to the millisecond and have a time zone."""
        first = NOON + timedelta(milliseconds=1)
        last = NOON + timedelta(hours=1, milliseconds=999)
        store.write(batch(segment(at=last), segment(at=first)))
        found = store.totals(in_env(ENV), ALL_TIME)

        assert (found.first_at, found.last_at) == (first, last)

    def test_every_answer_equals_a_recount(
        self, store: AnalyticsStore, reopened: Reopened
    ) -> None:
        """Every answer about 1,200 segments in batches of three files equals a recount."""
        everything = many(seed=1, count=1_200)
        made = batches_of(everything, files=3)
        half = sum(sum(one.segments for one in b.counts) for b in made[:15])
        for one in made[:15]:
            store.write(one)
        _compare(store, Recount(everything[:half]))
        for one in made[15:]:
            store.write(one)
        again = reopened()
        assert isinstance(again, AnalyticsStore)

        for each in (store, again):
            _compare(each, Recount(everything))

    def test_a_segment_of_long_ago_is_counted_where_it_belongs(
        self, store: AnalyticsStore
    ) -> None:
        """A segment of a year ago is counted on its day, because a machine may bring its file that late."""
        everything = [
            segment(at=NOON + timedelta(days=days)) for days in (0, 40, -365, 0, 1)
        ]
        for number, one in enumerate(everything):
            store.write(batch(one, start=number * SEGMENT_BYTES))

        _compare(store, Recount(everything))

    def test_names_that_look_alike_are_different(self, store: AnalyticsStore) -> None:
        """Organizations and environments whose ids look alike do not see each other's numbers."""
        everything = [
            segment(f"vid_{number}", org=org, env=env)
            for number, (org, env) in enumerate(_LOOK_ALIKES)
        ]
        store.write(batch(*everything))

        _compare(store, Recount(everything))

    def test_heights_stay_as_they_are(self, store: AnalyticsStore) -> None:
        """Heights are stored exactly: none is rounded to a usual one."""
        heights = (2, 353, 352, 360, 361, 1080, 1081, 480, 8_192)
        everything = [segment(height_px=px) for px in heights]
        store.write(batch(*everything))

        _compare(store, Recount(everything))

    @pytest.mark.parametrize("zone", ["KIT-14", "KIT+12"])
    def test_days_are_utc_days_wherever_the_machine_is(
        self, store: AnalyticsStore, reopened: Reopened, zone: str
    ) -> None:
        """Segments just before and after midnight UTC are counted on their UTC day, in any time zone."""
        midnight = NOON + timedelta(hours=12)
        everything = [
            segment(at=midnight + timedelta(milliseconds=ms))
            for ms in (-86_400_000, -1, 0, 86_399_999)
        ]
        with local_time(zone):
            again = reopened()
            assert isinstance(again, AnalyticsStore)
            for number, one in enumerate(everything):
                writer = again if number % 2 else store
                writer.write(batch(one, start=number * SEGMENT_BYTES))

            for each in (store, again):
                _compare(each, Recount(everything))

    def test_large_numbers_are_exact_in_every_answer(
        self, store: AnalyticsStore
    ) -> None:
        """Numbers beyond 32 bits are exact in every answer, of each height and in all."""
        counts = batch(segment(), segment(height_px=360)).counts
        large = [attrs.evolve(one, segments=LARGE) for one in counts]
        store.write(attrs.evolve(batch(segment()), counts=tuple(large)))
        (env,) = store.by_environment(in_env(ENV), NOON.date()).values()

        assert (env.segments, env.segments_since) == (2 * LARGE, 2 * LARGE)
        for scope in (in_env(ENV), VideoScope(video_id=VIDEO)):
            assert store.totals(scope, ALL_TIME).segments == 2 * LARGE
            (day,) = store.daily(scope, ALL_TIME)
            assert day.heights == {360: LARGE, 720: LARGE}
            heights = store.by_height(scope, ALL_TIME)
            assert [one.segments for one in heights] == [LARGE, LARGE]

    def test_a_whole_list_of_videos_is_answered(self, store: AnalyticsStore) -> None:
        """The totals of up to 100 videos are returned in one answer, also of videos that were never served."""
        videos = [VideoId(f"vid_kit_{number}") for number in range(100)]
        notes = [segment(video) for video in videos[:90] for _ in range(2)]
        store.write(batch(*notes))
        answered = store.served(list(reversed(videos)))

        assert {video: n for video, n in answered.items() if n} == dict.fromkeys(
            videos[:90], 2
        )


def _compare(store: AnalyticsStore, recount: Recount) -> None:
    """Assert that store and recount agree on all questions, for many scopes and ranges."""
    places = {one.place for one in recount.everything}
    videos = sorted({place.video_id for place in places})
    asked = [*videos, VideoId("vid_never_served")]
    answered = {video: n for video, n in store.served(asked).items() if n}
    assert answered == recount.served(asked)
    envs = sorted({(place.org_id, place.env_id) for place in places})
    scopes = [_scope(org, env) for org, env in envs]
    scopes.append(in_env("dev", "Live-2", "never-served"))
    middle = NOON.date() + timedelta(days=10)
    for scope in scopes:
        since = store.by_environment(scope, middle)
        answered_envs = {env: one for env, one in since.items() if one.segments}
        assert answered_envs == recount.by_environment(scope, middle), scope
    ranges = [
        ALL_TIME,
        DateRange(first=middle),
        DateRange(last=middle),
        DateRange(first=middle, last=middle + timedelta(days=6)),
    ]
    of_videos = [VideoScope(video_id=video) for video in asked]
    every: Sequence[Scope] = [*scopes, *of_videos]
    for one in every:
        for days in ranges:
            _compare_days(store, recount, one, days)


def _compare_days(
    store: AnalyticsStore, recount: Recount, scope: Scope, days: DateRange
) -> None:
    where = f"{scope} {days}"
    assert store.totals(scope, days) == recount.totals(scope, days), where
    assert list(store.daily(scope, days)) == recount.daily(scope, days), where
    assert list(store.by_height(scope, days)) == recount.by_height(scope, days), where


def _scope(org: OrgId, env: EnvId) -> EnvironmentScope:
    return EnvironmentScope(org_id=org, env_ids=frozenset({env}))
