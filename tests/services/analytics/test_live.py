"""
How a count came about, and who is watching now, in both families.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
import sqlalchemy as sa

from hvcore.domain.analytics.ignored import IgnoredPlace, IgnoredReason, IgnoredRequest
from hvcore.domain.analytics.live import SessionSeen, UnfollowedSessions
from hvcore.domain.analytics.segments import VideoScope
from hvcore.domain.ids import VideoId
from hvcore.services.analytics import live as live_analytics
from hvcore_analytics_sql import live
from hvcore_worker.sweep import sweep_once
from tests.services.analytics.served import A_ENV, NOW, NOW_TEXT, A, report, serve
from tests.support.http.world import OTHER_ORG, World, locations, problem_of

ROOTS = [A, "/v1"]


def ignore(  # noqa: PLR0913 - what a request is
    api: World,
    video_id: str,
    reason: IgnoredReason,
    height_px: int = 720,
    *,
    times: int = 1,
    at: datetime = NOW,
) -> None:
    """
    Answer requests that do not count, and bring them to the store.
    """
    place = IgnoredPlace(
        org_id=api.env.org_id,
        env_id=api.env.id,
        video_id=VideoId(video_id),
        height_px=height_px,
        reason=reason,
    )
    for _ in range(times):
        api.services.spool.append(IgnoredRequest(place=place, at=at))
    api.services.flusher.run_once()


def watch(api: World, video_id: str, *sessions: str, at: datetime = NOW) -> None:
    """
    Serve something to sessions.
    """
    for session in sessions:
        api.services.spool.append(
            SessionSeen(
                org_id=api.env.org_id,
                env_id=api.env.id,
                video_id=VideoId(video_id),
                session=session,
                at=at,
            )
        )
    api.services.flusher.run_once()


@pytest.fixture
def unkept(api: World) -> Iterator[World]:
    """
    A service of which no sink keeps more than counts.
    """
    analytics, now = api.services.analytics, api.services.live_analytics
    kept = (analytics.ignored, now.viewers, now.minutes)
    object.__setattr__(analytics, "ignored", None)
    object.__setattr__(now, "viewers", None)
    object.__setattr__(now, "minutes", None)
    yield api
    object.__setattr__(analytics, "ignored", kept[0])
    object.__setattr__(now, "viewers", kept[1])
    object.__setattr__(now, "minutes", kept[2])


# explain


@pytest.mark.parametrize("root", ROOTS)
def test_a_day_s_count_is_explained_by_what_counts_and_what_does_not(
    api: World, root: str
) -> None:
    video_id = api.ready(duration_s=75.5)
    serve(api, video_id, 720, times=30)
    serve(api, video_id, 1080, times=2)
    ignore(api, video_id, IgnoredReason.HEAD, times=3)
    ignore(api, video_id, IgnoredReason.NOT_MODIFIED, 1080)
    ignore(api, video_id, IgnoredReason.TOO_FEW_BYTES, 360)
    # Of a version before, which is told as it was.
    ignore(api, video_id, IgnoredReason.LATER_RANGE, 360)
    ignore(api, video_id, IgnoredReason.PLAYLIST, 0, times=4)

    body = report(api, f"{root}/videos/{video_id}/analytics/explain", "date=2026-01-02")

    answer = body["explanation"]
    public_id, name = answer.pop("vidPublicId"), answer.pop("vidName")
    assert public_id.startswith("pubvid_")
    assert name
    assert answer == {
        "vidId": video_id,
        "vidNameValid": True,
        "assetId": video_id,
        "deliveryDate": "2026-01-02",
        "acceptedRequests": 32,
        "ignoredRequests": 10,
        "ignoredRequestsValid": True,
        "segmentsServed": 32,
        "vidLengthSeconds": 75.5,
        "segmentSeconds": 6,
        "segmentsPerView": 12.583,
        "estimatedViews": 3,
        "formula": "estimatedViews = segmentsServed / "
        "(vidLengthSeconds / segmentSeconds), rounded",
        "calculation": "32 / (75.5 / 6) = 2.543, rounded 3",
    }
    assert {one["reason"]: one["requests"] for one in body["ignored"]} == {
        "init": 0,
        "audio": 0,
        "playlist": 4,
        "other-file": 0,
        "head": 3,
        "not-modified": 1,
        "too-few-bytes": 1,
        "later-range": 1,
        "broken-off": 0,
    }
    assert all(one["meaning"].endswith(".") for one in body["ignored"])
    heights = [
        (
            one["resolutionHeight"],
            one["acceptedRequests"],
            one["ignoredRequests"],
            one["ignoredByReason"],
            one["firstServed"],
        )
        for one in body["resolutions"]
    ]
    few = [
        {"reason": "too-few-bytes", "requests": 1},
        {"reason": "later-range", "requests": 1},
    ]
    assert heights == [
        (360, 0, 2, few, ""),
        (720, 30, 3, [{"reason": "head", "requests": 3}], NOW_TEXT),
        (1080, 2, 1, [{"reason": "not-modified", "requests": 1}], NOW_TEXT),
    ]


def test_only_the_day_that_was_asked_for_is_explained(api: World) -> None:
    video_id = api.ready()
    yesterday = NOW - timedelta(days=1)
    serve(api, video_id, times=2)
    serve(api, video_id, at=yesterday)
    ignore(api, video_id, IgnoredReason.HEAD, at=yesterday)
    path = f"/v1/videos/{video_id}/analytics/explain"

    def answer(query: str | None) -> tuple[str, int, int]:
        one = report(api, path, query)["explanation"]
        return one["deliveryDate"], one["acceptedRequests"], one["ignoredRequests"]

    # Today if no day is named.
    assert answer(None) == answer("date=") == answer("date=2026-01-02")
    assert answer(None) == ("2026-01-02", 2, 0)
    assert answer("date=2026-01-01") == ("2026-01-01", 1, 1)
    assert answer("date=2025-12-31") == ("2025-12-31", 0, 0)


def test_the_explained_count_is_the_count_of_the_other_routes(api: World) -> None:
    video_id = api.ready(duration_s=60.0)
    serve(api, video_id, 480, times=7)
    serve(api, video_id, 720, times=8)

    explained = report(api, f"/v1/videos/{video_id}/analytics/explain")
    daily = report(api, "/v1/analytics/daily")["dailyUsage"]
    details = api.get(f"/v1/videos/{video_id}").json["body"]

    answer = explained["explanation"]
    assert answer["segmentsServed"] == sum(day["segmentsServed"] for day in daily) == 15
    assert details["served"] == f"{answer['estimatedViews']} views" == "2 views"


def test_a_video_without_a_duration_has_no_views(api: World) -> None:
    video_id = api.transcoding()

    answer = report(api, f"/v1/videos/{video_id}/analytics/explain")["explanation"]

    assert (answer["estimatedViews"], answer["segmentsPerView"]) == (0, 0)
    assert answer["calculation"] == "no duration, no views"


def test_reports_that_no_sink_keeps_are_said_to_be_unknown(unkept: World) -> None:
    video_id = unkept.ready()
    serve(unkept, video_id)

    explained = report(unkept, f"/v1/videos/{video_id}/analytics/explain")
    answer = report(unkept, f"/v1/videos/{video_id}/analytics/viewers")

    assert explained["explanation"]["acceptedRequests"] == 1
    assert not explained["explanation"]["ignoredRequestsValid"]
    assert not answer["viewers"]["currentViewersValid"]
    assert not answer["viewers"]["minutesValid"]
    assert answer["minutes"] == []
    # Nor is there anything to forget.
    unkept.services.live_analytics.forget_old()


@pytest.mark.parametrize("day", ["2026-02-30", "yesterday", "2026-1-2"])
def test_a_day_that_the_calendar_lacks_is_refused(api: World, day: str) -> None:
    result = api.get(f"/v1/videos/{api.ready()}/analytics/explain", f"date={day}")

    assert locations(problem_of(result, 422, "invalid_parameters")) == ["query.date"]


# viewers


@pytest.mark.parametrize("root", [A, A_ENV, "/v1"])
def test_each_session_of_the_last_minute_is_one_viewer(api: World, root: str) -> None:
    first, second = api.ready(), api.ready()
    watch(api, first, "a", "b")
    watch(api, second, "a", "c")
    watch(api, second, "gone", at=NOW - timedelta(seconds=61))

    answer = report(api, f"{root}/analytics/viewers")["viewers"]

    assert answer == {
        "currentViewers": 3,
        "currentViewersValid": True,
        "windowSeconds": 60,
        "asOf": NOW_TEXT,
        "minutesValid": True,
    }


@pytest.mark.parametrize("root", ROOTS)
def test_viewers_of_a_video_are_its_own(api: World, root: str) -> None:
    video_id = api.ready()
    watch(api, video_id, "a", "b")
    watch(api, api.ready(), "c")

    answer = report(api, f"{root}/videos/{video_id}/analytics/viewers")["viewers"]

    assert answer["currentViewers"] == 2


@pytest.mark.parametrize("root", ROOTS)
def test_that_more_watch_than_are_followed_is_said_to_their_organization_alone(
    api: World, root: str
) -> None:
    video_id, other = api.ready(), api.make_key(org=OTHER_ORG, env="theirs")
    watch(api, video_id, "a", "b")

    def valid(path: str, key: str | None = None) -> bool:
        answer = report(api, path, key=key)["viewers"]
        assert answer["currentViewers"] == (0 if key else 2)
        return bool(answer["currentViewersValid"])

    ours = (f"{root}/analytics/viewers", f"{root}/videos/{video_id}/analytics/viewers")
    assert all(map(valid, ours))
    for at in (NOW, NOW - timedelta(seconds=30)):
        met = UnfollowedSessions(org_id=api.env.org_id, at=at)
        api.services.spool.append(met)
        api.services.flusher.run_once()

    assert not any(map(valid, ours))
    assert valid("/v1/analytics/viewers", other)


def test_the_last_hour_has_a_record_for_each_minute(api: World) -> None:
    video_id = api.ready()
    for minutes in (0, 1, 60, 61):
        serve(api, video_id, at=NOW - timedelta(minutes=minutes))
    serve(api, video_id, 1080, at=NOW - timedelta(minutes=1))

    answer = report(api, f"/v1/videos/{video_id}/analytics/viewers")["minutes"]

    # The one that is not over, and those before, are not among them.
    assert len(answer) == 60
    assert answer[0] == {"minute": "2026-01-02T02:04:00.000Z", "segmentsServed": 1}
    assert answer[-1] == {"minute": "2026-01-02T03:03:00.000Z", "segmentsServed": 2}
    assert {one["segmentsServed"] for one in answer[1:-1]} == {0}


def test_nobody_else_s_viewers_are_told(api: World) -> None:
    watch(api, api.ready(), "a")
    other = api.make_key(org=OTHER_ORG, env="theirs")

    answer = report(api, "/v1/analytics/viewers", key=other)["viewers"]

    assert answer["currentViewers"] == 0


@pytest.mark.parametrize("name", ["explain", "viewers"])
@pytest.mark.parametrize("root", ROOTS)
def test_a_deleted_video_has_no_analytics(api: World, root: str, name: str) -> None:
    video_id = api.ready()
    api.delete(f"/v1/videos/{video_id}")

    result = api.get(f"{root}/videos/{video_id}/analytics/{name}")

    problem_of(result, 404, "video_not_found")


# what is kept for a time


def test_the_sweep_forgets_minutes_and_sessions_and_keeps_days(api: World) -> None:
    video_id = api.ready()
    scope = VideoScope(video_id=VideoId(video_id))
    kept_for = timedelta(days=api.services.settings.analytics.minutes_retention_days)
    old = NOW - kept_for - timedelta(minutes=1)
    serve(api, video_id, at=old)
    serve(api, video_id, at=old + timedelta(minutes=1))
    watch(api, video_id, "old", at=NOW - timedelta(seconds=121))
    watch(api, video_id, "new", at=NOW - timedelta(seconds=119))

    sweep_once(api.services, holder="test", tidies=True)

    known = api.services.live_analytics
    assert known.minutes is not None
    assert known.viewers is not None
    minutes = known.minutes.minutes(scope, 0, int(NOW.timestamp()) // 60)
    assert [one.minute for one in minutes] == [int((NOW - kept_for).timestamp()) // 60]
    assert known.viewers.viewers(scope, NOW - timedelta(days=1)) == 1
    assert api.services.analytics_store.served([scope.video_id]) == {video_id: 2}


def test_sessions_that_cannot_be_forgotten_keep_no_minutes(api: World) -> None:
    video_id = api.ready()
    kept_for = timedelta(days=api.services.settings.analytics.minutes_retention_days)
    serve(api, video_id, at=NOW - kept_for - timedelta(minutes=1))
    with api.services.engine.begin() as connection:
        connection.execute(sa.text("DROP TABLE hv_analytics_sessions"))

    api.services.live_analytics.forget_old()

    known = api.services.live_analytics.minutes
    assert known is not None
    scope = VideoScope(video_id=VideoId(video_id))
    assert known.minutes(scope, 0, int(NOW.timestamp()) // 60) == []


def test_much_that_is_old_is_forgotten_over_several_rounds(
    api: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    So that nobody waits long for a place to write.
    """
    monkeypatch.setattr(live, "FORGET_AT_ONCE", 1)
    monkeypatch.setattr(live_analytics, "MOST_BATCHES", 2)
    video_id = api.ready()
    watch(api, video_id, "a", "b", "c", at=NOW - timedelta(hours=1))
    known = api.services.live_analytics.viewers
    assert known is not None

    def left() -> int:
        api.services.live_analytics.forget_old()
        scope = VideoScope(video_id=VideoId(video_id))
        return known.viewers(scope, NOW - timedelta(days=1))

    assert [left(), left()] == [1, 0]
