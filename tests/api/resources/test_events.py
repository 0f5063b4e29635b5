"""
GET /v1/events.
"""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from hvcore.domain.videos.video import Video
from hvcore.wire.webhooks import events as wire
from tests.support.http.world import ORG, World, body_of, locations, problem_of


def events(api: World, query: str | None = None) -> dict[str, Any]:
    payload = body_of(api.get("/v1/events", query))
    Draft202012Validator(wire.EVENTS).validate(payload)
    return payload


def kinds_and_videos(payload: dict[str, Any]) -> list[tuple[str, str]]:
    return [(event["event"], event["videoId"]) for event in payload["events"]]


def test_events_come_oldest_first_and_say_all(api: World) -> None:
    video_id = api.failed()

    payload = events(api)

    assert payload["hasMore"] is False
    started, failed = payload["events"]
    assert started["event"] == "video.processing.started"
    assert failed.pop("id").startswith("evt_")
    assert failed.pop("timestamp").endswith("Z")
    plays = failed.pop("playback")
    assert plays["embedURL"].partition("?")[0].endswith(f"/v1/embed/{video_id}")
    assert plays["needsToken"] is ("{token}" in plays["playlistURL"])
    assert failed == {
        "event": "video.processing.failed",
        "videoId": video_id,
        "status": "failed",
        "orgID": ORG,
        "envID": "live",
        "sequence": 2,
        "error": "There is no picture.",
    }


def test_reading_goes_on_after_a_cursor(api: World) -> None:
    first, second = api.ready(), api.ready()

    page = events(api, "limit=3")
    rest = events(api, f"limit=3&after={page['cursor']}")

    assert page["hasMore"] is True
    assert rest["hasMore"] is False
    assert kinds_and_videos(page) + kinds_and_videos(rest) == [
        ("video.processing.started", first),
        ("video.processing.completed", first),
        ("video.processing.started", second),
        ("video.processing.completed", second),
    ]


def test_an_empty_answer_has_a_cursor_too(api: World) -> None:
    empty = events(api)
    assert empty["events"] == []

    video_id = api.transcoding()
    page = events(api, f"after={empty['cursor']}")
    again = events(api, f"after={page['cursor']}")

    assert kinds_and_videos(page) == [("video.processing.started", video_id)]
    assert (again["events"], again["cursor"]) == ([], page["cursor"])


def test_kinds_can_be_chosen(api: World) -> None:
    video_id = api.ready()
    api.delete(f"/v1/videos/{video_id}")

    payload = events(api, "event=video.deleted,video.processing.started")

    assert [kind for kind, _ in kinds_and_videos(payload)] == [
        "video.processing.started",
        "video.deleted",
    ]


def test_an_environment_sees_its_own_events(api: World) -> None:
    api.ready(api.dev)
    api.ready(api.other_env)

    assert events(api)["events"] == []


def test_an_upload_that_never_came_is_no_event(api: World) -> None:
    video_id = api.awaited()
    api.change(video_id, Video.expire)

    assert events(api)["events"] == []


@pytest.mark.parametrize(
    "after",
    ["x", "", "MTow=", "0", "MTotMQ", "MTowMQ", "MTozM", "é", "A" * 5000, "null"],
)
def test_a_cursor_that_is_none_is_refused(api: World, after: str) -> None:
    document = problem_of(
        api.get("/v1/events", f"after={after}"), 400, "invalid_parameters"
    )

    assert locations(document) == ["query.after"]


@pytest.mark.parametrize(
    ("query", "location", "status"),
    [
        ("limit=0", "query.limit", 400),
        ("limit=201", "query.limit", 400),
        ("limit=many", "query.limit", 422),
        ("event=video.exploded", "query.event", 400),
        ("event=", "query.event", 400),
    ],
)
def test_other_parameters_are_checked(
    api: World, query: str, location: str, status: int
) -> None:
    document = problem_of(api.get("/v1/events", query), status, "invalid_parameters")

    assert locations(document) == [location]


def test_every_number_has_a_cursor_of_the_documented_form() -> None:
    for number in (0, 1, 9, 10, 99, 12345, 10**17):
        text = wire.cursor(number)

        assert wire.Cursor().from_text(text) == number
        assert wire.Cursor().from_json(text) == number
        Draft202012Validator(wire.Cursor().schema()).validate(text)


def test_kinds_have_a_schema() -> None:
    schema = json.loads(json.dumps(wire.Kinds().schema()))

    for text in ("video.deleted", "video.deleted,video.updated"):
        assert wire.Kinds().from_json(text)
        Draft202012Validator(schema).validate(text)
