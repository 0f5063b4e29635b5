"""
Changes of a video that say, with If-Match, which state they were made for.
"""

from typing import Any

import pytest
from falcon.testing import Result

from hvcore_api.openapi.components import resolved
from tests.support.http.world import ORG, ORIGIN, World, body_of, problem_of

A = f"/v1/api/{ORG}"
MEMBERS: dict[str, object] = {
    "videoName": "New",
    "description": "New.",
    "allowPublicAccess": False,
    "externalID": "new",
    "metadata": {"new": "1"},
    "tags": ["new"],
    "allowDownload": True,
}


@pytest.fixture(
    params=[f"{A}/videos/{{}}/details", "/v1/videos/{}", "/v1/videos/{}/details"]
)
def details(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def etag_of(api: World, video: str) -> str:
    return str(api.get(f"/v1/videos/{video}").headers["ETag"])


def patch(api: World, path: str, document: object, if_match: str | None) -> Result:
    headers = {} if if_match is None else {"If-Match": if_match}
    return api.call("PATCH", path, json=document, headers=headers)


def test_details_and_changes_answer_with_the_same_tag(
    api: World, details: str, videos: str
) -> None:
    video = api.ready()

    before = api.get(details.format(video)).headers["ETag"]
    changed = patch(api, f"{videos}/{video}", {"videoName": "New"}, None)

    assert changed.headers["ETag"] == api.get(details.format(video)).headers["ETag"]
    assert changed.headers["ETag"] != before
    # Strong, and quoted, as RFC 9110 has it.
    assert before.strip('"') == before[1:-1]


@pytest.mark.parametrize("sent", ["{}", "W/{}", "*"])
def test_details_are_never_answered_with_304(
    api: World, details: str, sent: str
) -> None:
    video = api.ready()
    tag = api.get(details.format(video)).headers["ETag"]

    result = api.call(
        "GET", details.format(video), headers={"If-None-Match": sent.format(tag)}
    )

    assert body_of(result)["id"] == video
    assert result.headers["ETag"] == tag


@pytest.mark.parametrize("sent", ["{}", "W/{}", '"other", {}', '{} , W/"other"', "*"])
def test_a_change_of_what_was_seen_is_made(api: World, videos: str, sent: str) -> None:
    video = api.ready()
    if_match = sent.format(etag_of(api, video))

    result = patch(api, f"{videos}/{video}", {"videoName": "New"}, if_match)

    assert body_of(result)["name"] == "New"


@pytest.mark.parametrize("member", MEMBERS)
def test_after_a_change_of_any_member_the_old_tag_does_not_fit(
    api: World, videos: str, member: str
) -> None:
    video = api.ready()
    seen = etag_of(api, video)
    body_of(patch(api, f"{videos}/{video}", {member: MEMBERS[member]}, seen))
    now = api.get(f"/v1/videos/{video}")

    result = patch(api, f"{videos}/{video}", {"videoName": "Mine"}, seen)

    problem_of(result, 412, "precondition_failed")
    assert etag_of(api, video) == now.headers["ETag"]
    assert body_of(now)["name"] != "Mine"
    # Without the condition, or for what is there now, it is made.
    body_of(patch(api, f"{videos}/{video}", {"videoName": "A"}, now.headers["ETag"]))
    body_of(patch(api, f"{videos}/{video}", {"videoName": "B"}, None))


@pytest.mark.parametrize(
    "broken",
    ["", " ", "{bare}", "'{bare}'", '"{bare}', '{bare}"', ",", "**", "\xff", "W/"],
)
def test_a_condition_that_cannot_be_read_fits_nothing(
    api: World, videos: str, broken: str
) -> None:
    video = api.ready()
    seen = etag_of(api, video)

    result = patch(
        api,
        f"{videos}/{video}",
        {"videoName": "New"},
        broken.format(bare=seen.strip('"')),
    )

    problem_of(result, 412, "precondition_failed")
    assert etag_of(api, video) == seen


def test_the_condition_is_judged_after_the_video(api: World, videos: str) -> None:
    deleted = api.ready()
    body_of(api.delete(f"/v1/videos/{deleted}"))
    unknown = f"vid_{'0' * 22}"

    for video in (deleted, unknown, api.ready(api.other_env)):
        result = patch(api, f"{videos}/{video}", {"videoName": "x"}, '"other"')
        problem_of(result, 404, "video_not_found")
    theirs = patch(api, f"{videos}/{api.ready(api.dev)}", {"tags": []}, '"other"')
    problem_of(theirs, 403, "forbidden")
    wrong = patch(api, f"{videos}/{api.ready()}", {"videoName": 1}, '"other"')
    problem_of(wrong, 422, "invalid_parameters")


def test_a_refused_change_is_in_no_event_and_no_audit_entry(api: World) -> None:
    video = api.ready()
    before = body_of(api.get("/v1/events"))

    patch(api, f"/v1/videos/{video}", {"videoName": "New"}, '"other"')

    assert body_of(api.get("/v1/events")) == before


def test_a_page_may_send_and_read_the_tag(api: World) -> None:
    video = api.ready()
    asked: dict[str, Any] = {
        "Origin": ORIGIN,
        "Access-Control-Request-Method": "PATCH",
        "Access-Control-Request-Headers": "if-match",
    }

    preflight = api.client.simulate_options(f"/v1/videos/{video}", headers=asked)
    read = api.call("GET", f"/v1/videos/{video}", headers={"Origin": ORIGIN})

    assert "If-Match" in preflight.headers["Access-Control-Allow-Headers"].split(", ")
    assert "ETag" in read.headers["Access-Control-Expose-Headers"].split(", ")


def test_the_description_has_the_tag_and_the_refusal(api: World) -> None:
    document = resolved(api.client.simulate_get("/v1/openapi.json").json)

    for path in ("/v1/videos/{assetId}", "/v1/api/{orgID}/videos/{videoID}"):
        change = document["paths"][path]["patch"]
        (header,) = (p for p in change["parameters"] if p.get("name") == "If-Match")
        assert (header["in"], header["required"]) == ("header", False)
        assert "ETag" in change["responses"]["200"]["headers"]
        assert "412" in change["responses"]
