"""
Every field of every documented answer, with its type.
"""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.interface import answer_tables, field_tables
from tests.interface.operations import A_ENV, A, B, Operation, named, uploaded
from tests.support.http.world import ENV, ORG, World, body_of, problem_of

# Thousands of cells of one kind: once is enough, whatever the interpreter.
pytestmark = pytest.mark.matrix

FAMILIES = pytest.mark.parametrize("root", [A, B], ids=["A", "B"])
ENVIRONMENTS = pytest.mark.parametrize("root", [A_ENV, B], ids=["A", "B"])


def check(answer: Mapping[str, Any], table: Mapping[str, type]) -> None:
    """
    Fail unless an object has exactly the fields of a table.
    """
    assert set(answer) == set(table)
    for name, kind in table.items():
        value = answer[name]
        if kind is float:
            assert isinstance(value, int | float), name
            assert not isinstance(value, bool), name
        elif kind is not object:
            assert type(value) is kind, name


def described(api: World) -> str:
    """
    Make a finished video with a description; return its id.
    """
    video_id = api.ready()
    api.change(video_id, lambda video: setattr(video, "description", "About it."))
    return video_id


@ENVIRONMENTS
def test_a_list_item_has_the_documented_fields(api: World, root: str) -> None:
    described(api)

    body = body_of(api.get(f"{root}/videos"))

    check(body, {"videos": list, "pagination": dict})
    check(body["pagination"], answer_tables.PAGINATION)
    check(body["videos"][0], answer_tables.LIST_ITEM)


@pytest.mark.parametrize("path", [f"{A}/videos/{{}}/details", f"{B}/videos/{{}}"])
def test_details_have_the_documented_fields(api: World, path: str) -> None:
    body = body_of(api.get(path.format(described(api))))

    check(body, answer_tables.DETAILS)
    check(body["status"], answer_tables.DETAILS_STATUS)
    check(body["encodings"][0], answer_tables.ENCODING_ENTRY)
    assert body["publicID"] == body["id"]


def test_details_are_the_same_at_every_address(api: World) -> None:
    video_id = described(api)
    paths = [f"{A}/videos/{{}}/details", f"{B}/videos/{{}}", f"{B}/videos/{{}}/details"]
    names = [video_id, api.public_id(video_id)]

    answers = [body_of(api.get(p.format(name))) for p in paths for name in names]

    for answer in answers:
        # Its token tells when it was made.
        answer["thumbnailUrl"] = ""
        assert answer == answers[0]


@pytest.mark.parametrize("operation", named("upload-url"), ids=str)
def test_a_grant_has_the_documented_fields(api: World, operation: Operation) -> None:
    body = body_of(api.post(operation.path(api), operation.given(api)))

    check(
        body,
        answer_tables.GRANT_A if operation.family == "A" else answer_tables.GRANT_B,
    )
    assert body["expiresAt"] == int(api.clock.now().timestamp()) + 3600


@ENVIRONMENTS
def test_processing_answers_with_the_videos_id(api: World, root: str) -> None:
    body = body_of(api.post(f"{root}/videos/process", uploaded(api)))

    check(body, {"videoID": str})
    assert body["videoID"].startswith("vid_")


def test_fetches_answer_with_what_comes_of_them(api: World) -> None:
    (upload,), (download,) = named("upload"), named("download")

    video = body_of(api.post(upload.path(api), upload.given(api)))
    file = body_of(api.post(download.path(api), download.given(api)))

    assert video["assetId"].startswith("vid_")
    check(file, {"bucketPath": str})


@FAMILIES
def test_a_deletion_has_the_documented_fields(api: World, root: str) -> None:
    body = body_of(api.delete(f"{root}/videos/{api.ready()}"))

    check(body, answer_tables.DELETION)
    assert body["status"] == "deleted"


@FAMILIES
@pytest.mark.parametrize(("expiration", "seconds"), field_tables.EXPIRATIONS_S.items())
def test_a_signed_url_has_the_documented_fields(
    api: World, root: str, expiration: str, seconds: int
) -> None:
    path = f"{root}/videos/{api.ready()}/signed-url"

    body = body_of(api.get(path, f"expiration={expiration}"))

    check(body, answer_tables.SIGNED_URL)
    assert body["expires_in"] == seconds
    assert "/v1/private/" in body["signed_url"]
    assert "?token=" in body["signed_url"]


@FAMILIES
def test_a_share_link_has_the_documented_fields(api: World, root: str) -> None:
    path = f"{root}/videos/{api.ready()}/share"
    given = {"expirationHours": 2, "maxViews": 3, "viewerEmail": "a@example.com"}

    body = body_of(api.post(path, given))

    check(
        {name: body[name] for name in answer_tables.SHARE_LINK},
        answer_tables.SHARE_LINK,
    )


def test_environments_have_the_documented_fields(api: World) -> None:
    body = body_of(api.get(f"{A}/environments"))

    check(body, {"environments": list})
    check(body["environments"][0], answer_tables.ENVIRONMENT)
    assert body["environments"][0]["orgID"] == ORG
    assert body["environments"][0]["envID"] == ENV


def test_an_error_has_the_documented_fields(api: World) -> None:
    document = problem_of(api.get("/v1/videos", "pageSize=0"), 400, "invalid_page_size")

    check(document, answer_tables.ERROR)
    check(document["errors"][0], answer_tables.ERROR_ITEM)


ANALYTICS_ROOTS = pytest.mark.parametrize(
    "root", [A, A_ENV, B], ids=["A", "A-of-env", "B"]
)


@ANALYTICS_ROOTS
def test_usage_has_the_documented_fields(api: World, root: str) -> None:
    api.ready()

    body = body_of(api.get(f"{root}/analytics/usage"))

    check(body, {"usage": list})
    check(body["usage"][0], answer_tables.USAGE_RECORD)


@ANALYTICS_ROOTS
def test_daily_usage_has_the_documented_fields(api: World, root: str) -> None:
    body = body_of(api.get(f"{root}/analytics/daily", "fill=true"))

    check(body, {"dailyUsage": list})
    check(body["dailyUsage"][0], answer_tables.DAILY_RECORD)


@ANALYTICS_ROOTS
def test_storage_has_the_documented_fields(api: World, root: str) -> None:
    api.ready()

    body = body_of(api.get(f"{root}/analytics/storage"))

    check(body, {"storage": dict})
    check(body["storage"], answer_tables.STORAGE)


@FAMILIES
def test_a_videos_resolutions_have_the_documented_fields(api: World, root: str) -> None:
    body = body_of(api.get(f"{root}/videos/{api.ready()}/analytics/resolution"))

    check(body, {"summary": dict, "resolutions": list})
    summary = body["summary"]
    check(
        {name: summary[name] for name in answer_tables.VIDEO_SUMMARY},
        answer_tables.VIDEO_SUMMARY,
    )


@ANALYTICS_ROOTS
def test_the_distribution_is_a_list(api: World, root: str) -> None:
    body = body_of(api.get(f"{root}/analytics/resolution-distribution"))

    check(body, {"distribution": list})
