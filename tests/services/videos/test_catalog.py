"""
Lists of videos, in both families.
"""

from datetime import timedelta
from typing import Any

import pytest

from hvcore.domain.access.keys import KeyType
from tests.support.http.world import ENV, ORG, World, body_of, locations, problem_of

A = f"/v1/api/{ORG}/environments/{ENV}/videos"
B = "/v1/videos"
FAMILIES = pytest.mark.parametrize("path", [A, B])

ITEM_FIELDS = {
    "id",
    "name",
    "duration",
    "durationSeconds",
    "createdAt",
    "thumbnailUrl",
    "status",
    "served",
    "allowPublicAccess",
    "videoQuality",
    "playback",
}


def names(api: World, query: str, path: str = B) -> list[str]:
    return [video["name"] for video in body_of(api.get(path, query))["videos"]]


@FAMILIES
def test_an_empty_list_is_a_page_without_videos(api: World, path: str) -> None:
    assert body_of(api.get(path)) == {
        "videos": [],
        "pagination": {
            "total": 0,
            "page": 1,
            "pageSize": 20,
            "totalPages": 0,
            "hasNext": False,
            "hasPrevious": False,
        },
    }


@FAMILIES
def test_a_list_item_has_the_documented_fields(api: World, path: str) -> None:
    video_id = api.ready(name="My clip")

    (item,) = body_of(api.get(path))["videos"]

    assert set(item) == ITEM_FIELDS
    assert item["id"] == video_id
    assert item["name"] == "My clip"
    assert item["duration"] == "1:16"
    assert item["durationSeconds"] == 75.5
    assert item["createdAt"] == "2026-01-02T03:04:05.678Z"
    assert item["thumbnailUrl"] == f"https://worker.test/t/{video_id}/640x360.jpg"
    assert item["status"] == "ready"
    assert item["served"] == "0 views"
    assert item["allowPublicAccess"] is True
    assert item["videoQuality"] == "standard"


def test_a_private_videos_thumbnail_carries_a_token(api: World) -> None:
    video_id = api.ready(is_public=False)

    (item,) = body_of(api.get(B))["videos"]

    address = f"https://worker.test/t/{video_id}/640x360.jpg?token="
    assert item["thumbnailUrl"].startswith(address)


@FAMILIES
def test_a_list_holds_the_documented_states_only(api: World, path: str) -> None:
    api.awaited(name="awaited")
    deleted = api.ready(name="deleted")
    api.transcoding(name="transcoding")
    api.ready(name="ready")
    api.failed(name="failed")
    body_of(api.delete(f"/v1/videos/{deleted}"))

    found = body_of(api.get(path))["videos"]

    assert {item["name"]: item["status"] for item in found} == {
        "transcoding": "transcoding",
        "ready": "ready",
        "failed": "failed",
    }


def test_a_list_holds_one_environment_only(api: World) -> None:
    api.ready(name="live")
    api.ready(api.dev, name="dev")
    api.ready(api.other_env, name="theirs")

    assert names(api, "") == ["live"]
    key = api.make_key(KeyType.FULL_ACCESS)
    in_dev = api.get(A.replace(ENV, "dev"), key=key)
    assert [video["name"] for video in body_of(in_dev)["videos"]] == ["dev"]


@FAMILIES
def test_pages_follow_each_other(api: World, path: str) -> None:
    for number in range(5):
        api.ready(name=f"n{number}")
        api.clock.move(timedelta(seconds=1))

    first = body_of(api.get(path, "pageSize=2"))
    last = body_of(api.get(path, "pageSize=2&page=3"))
    beyond = body_of(api.get(path, "pageSize=2&page=2147483647"))

    assert [video["name"] for video in first["videos"]] == ["n4", "n3"]
    assert first["pagination"]["hasNext"] is True
    assert [video["name"] for video in last["videos"]] == ["n0"]
    assert last["pagination"] == {
        "total": 5,
        "page": 3,
        "pageSize": 2,
        "totalPages": 3,
        "hasNext": False,
        "hasPrevious": True,
    }
    assert beyond["videos"] == []


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["c", "B", "a"]),
        ("sortBy=created_at&sortDir=asc", ["a", "B", "c"]),
        ("sortBy=name&sortDir=asc", ["a", "B", "c"]),
        ("sortBy=name", ["c", "B", "a"]),
        ("sortBy=duration", ["a", "B", "c"]),
        ("status=failed", ["c"]),
        ("status=ready", ["B", "a"]),
        ("search=b", ["B"]),
        ("search=A", ["a"]),
        ("search=%25", []),
        ("search=_", []),
        ("from=2026-01-03", ["c", "B"]),
        ("to=2026-01-03", ["B", "a"]),
        ("from=2026-01-03&to=2026-01-03", ["B"]),
        ("from=0001-01-01&to=9999-12-31", ["c", "B", "a"]),
        ("unknown=1&unknown=2&page[size]=x", ["c", "B", "a"]),
    ],
)
def test_a_list_is_sorted_and_filtered(
    api: World, query: str, expected: list[str]
) -> None:
    api.ready(name="a", duration_s=30)
    api.clock.move(timedelta(days=1))
    api.ready(name="B", duration_s=20)
    api.clock.move(timedelta(days=1))
    api.failed(name="c")

    assert names(api, query) == expected


def test_a_list_is_sorted_by_status(api: World) -> None:
    api.transcoding(name="transcoding")
    api.failed(name="failed")
    api.ready(name="ready")

    ordered = ["failed", "ready", "transcoding"]
    assert names(api, "sortBy=status&sortDir=asc") == ordered
    assert names(api, "sortBy=status&sortDir=desc") == ordered[::-1]


@pytest.mark.parametrize(
    ("query", "answer", "where"),
    [
        ("page=0", (400, "invalid_parameters"), ["query.page"]),
        ("page=x", (422, "invalid_parameters"), ["query.page"]),
        ("page=99999999999999999999", (400, "invalid_parameters"), None),
        ("pageSize=101", (400, "invalid_page_size"), ["query.pageSize"]),
        ("pageSize=0", (400, "invalid_page_size"), None),
        ("pageSize=+5", (422, "invalid_page_size"), None),
        ("pageSize=%205", (422, "invalid_page_size"), None),
        ("pageSize=%D9%A3", (422, "invalid_page_size"), None),
        ("pageSize=1e1", (422, "invalid_page_size"), None),
        ("pageSize=5&pageSize=5", (400, "invalid_page_size"), None),
        ("sortBy=id", (400, "invalid_parameters"), ["query.sortBy"]),
        ("sortBy=name;drop", (400, "invalid_parameters"), None),
        ("sortDir=up", (400, "invalid_parameters"), ["query.sortDir"]),
        ("status=deleted", (400, "invalid_parameters"), ["query.status"]),
        ("search=%00", (400, "invalid_parameters"), ["query.search"]),
        ("from=today", (422, "invalid_parameters"), ["query.from"]),
        ("from=2026-01-02&to=2026-01-01", (400, "invalid_parameters"), ["query.from"]),
        (
            "to=x&pageSize=0&page=x",
            (422, "invalid_parameters"),
            ["query.page", "query.pageSize", "query.to"],
        ),
    ],
)
@FAMILIES
def test_a_list_refuses(
    api: World,
    path: str,
    query: str,
    answer: tuple[int, str],
    where: list[str] | None,
) -> None:
    document = problem_of(api.get(path, query), *answer)

    if where is not None:
        assert locations(document) == where


def test_a_search_in_broken_utf_8_finds_nothing_and_breaks_nothing(api: World) -> None:
    api.ready()

    assert names(api, "search=%ff%fe") == []


def test_offending_query_values_are_shown_up_to_256_characters(api: World) -> None:
    document: dict[str, Any] = problem_of(
        api.get(B, "sortBy=" + "x" * 1000), 400, "invalid_parameters"
    )

    assert document["errors"][0]["value"] == "x" * 256
