"""
The limits as callers see them.
"""

import math
from collections.abc import Sequence
from datetime import timedelta

import pytest
from falcon.testing import Result

from hvcore.domain.access.keys import KeyType
from hvcore.domain.access.rate_limits import Bucket, RateLimitRule, RateLimitState
from hvcore.errors import UnavailableError
from hvcore.ports.rate_limit import RateLimitStore
from hvcore_api.routes import ROUTES
from hvcore_ratelimit.options import MovingWindowOptions
from hvcore_ratelimit.plugin import build
from tests.support.http.limited import limit
from tests.support.http.world import (
    ENV,
    ORG,
    OTHER_ORG,
    Key,
    World,
    body_of,
    problem_of,
)
from tests.support.servers import redis_server

HEADERS = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
UPLOAD_URL = "/v1/videos/upload-url"
OTHERS_VIDEO = "vid_" + "0" * 22


class BrokenStore(RateLimitStore):
    """
    Never answers.
    """

    def hit(self, rules: Sequence[RateLimitRule]) -> Sequence[RateLimitState]:
        raise UnavailableError("The store is broken.")


def shown(result: Result) -> tuple[int, int]:
    """
    Return limit and remaining.
    """
    return int(result.headers[HEADERS[0]]), int(result.headers[HEADERS[1]])


def ask_upload(api: World, key: Key | None = None) -> Result:
    return api.post(UPLOAD_URL, {"fileName": "a.mp4"}, key=key)


def test_every_answer_of_a_limited_route_carries_the_headers(api: World) -> None:
    results = [
        api.get("/v1/videos"),
        api.get("/v1/videos", "pageSize=0"),
        api.get("/v1/videos", "page=x"),
        api.get(f"/v1/videos/{OTHERS_VIDEO}"),
        api.get(f"/v1/api/{ORG}/environments/none/videos"),
        # Of the right organization, in the wrong environment: after the limits.
        api.get(f"/v1/api/{ORG}/environments/dev/videos"),
    ]

    assert [result.status_code for result in results] == [200, 400, 422, 404, 404, 403]
    assert [shown(result) for result in results] == [
        (10_000, 10_000 - number) for number in range(1, 7)
    ]
    expected = math.ceil((api.clock.now() + timedelta(hours=1)).timestamp())
    assert {result.headers[HEADERS[2]] for result in results} == {str(expected)}


def test_the_request_after_the_last_is_refused_until_the_window_has_moved(
    api: World,
) -> None:
    limit(api, api_per_hour=2)
    body_of(api.get("/v1/videos"))
    api.clock.move(timedelta(minutes=10))
    assert shown(api.get("/v1/videos")) == (2, 0)

    refused = api.get("/v1/videos")

    problem_of(refused, 429, "rate_limit_exceeded")
    assert shown(refused) == (2, 0)
    assert refused.headers["Retry-After"] == "3000"
    reset = int(refused.headers[HEADERS[2]])
    assert reset - api.clock.now().timestamp() == pytest.approx(3000, abs=1)

    api.clock.move(timedelta(seconds=3000))
    assert shown(api.get("/v1/videos")) == (2, 0)
    problem_of(api.get("/v1/videos"), 429, "rate_limit_exceeded")


def test_a_read_that_is_counted_meanwhile_is_refused_as_well(api: World) -> None:
    limit(api, api_per_hour=200)
    assert shown(api.get("/v1/videos")) == (200, 199)
    # What other processes count, this one learns with its next answer.
    elsewhere = api.further[-1].rate_limits
    assert elsewhere is not None
    for _ in range(199):
        elsewhere.count(org_id=ORG, key_id="key_a", bucket=None)

    for _ in range(2):
        refused = api.get("/v1/videos")
        problem_of(refused, 429, "rate_limit_exceeded")
        assert shown(refused) == (200, 0)
        assert refused.headers["Retry-After"] == "3600"


def test_a_refused_request_does_nothing(api: World) -> None:
    limit(api, upload_url_per_hour=1)
    body_of(ask_upload(api))

    refused = ask_upload(api)

    problem_of(refused, 429, "rate_limit_exceeded")
    # Nor does it count: it would never end.
    assert shown(api.get("/v1/videos"))[1] == 10_000 - 2


def test_ten_upload_urls_per_minute_and_key(api: World) -> None:
    for _ in range(10):
        body_of(ask_upload(api))

    refused = ask_upload(api)
    other = ask_upload(api, api.make_key())

    problem_of(refused, 429, "rate_limit_exceeded")
    assert shown(refused) == (10, 0)
    assert refused.headers["Retry-After"] == "60"
    assert shown(other) == (10, 9)
    api.clock.move(timedelta(minutes=1))
    body_of(ask_upload(api))


def test_the_families_share_the_limits(api: World) -> None:
    limit(api, upload_url_per_hour=2)
    body_of(ask_upload(api))
    path = f"/v1/api/{ORG}/environments/{ENV}/videos/upload-url"

    second = api.post(path, {"filename": "a.mp4", "fileSize": 1})

    body_of(second)
    assert shown(second) == (2, 0)
    problem_of(ask_upload(api), 429, "rate_limit_exceeded")


def test_organizations_have_limits_of_their_own(api: World) -> None:
    limit(api, api_per_hour=1)
    theirs = api.make_key(org=OTHER_ORG, env="theirs")
    body_of(api.get("/v1/videos"))

    problem_of(api.get("/v1/videos", key=api.make_key()), 429, "rate_limit_exceeded")
    body_of(api.get("/v1/videos", key=theirs))


def test_a_system_key_counts_for_the_organization_it_names(api: World) -> None:
    limit(api, api_per_hour=1)
    key = api.system_key()
    body_of(api.get(f"/v1/api/{ORG}/environments", key=key))

    problem_of(api.get("/v1/videos"), 429, "rate_limit_exceeded")
    body_of(api.get(f"/v1/api/{OTHER_ORG}/environments", key=key))
    # Where it names none, it counts for itself.
    assert shown(api.get("/v1/whoami", key=key)) == (1, 0)


def test_a_caller_refused_for_key_or_organization_is_not_counted(
    api: World,
) -> None:
    none = Key(value="hv_live_" + "0" * 32)
    key = api.make_key(permissions=frozenset())
    for result in (
        api.get("/v1/videos", key=none),
        api.get(f"/v1/api/{OTHER_ORG}/environments"),
        api.get("/v1/videos", key=key),
        api.get("/v1/videos", key=api.make_key(KeyType.FULL_ACCESS, env=None)),
    ):
        assert result.status_code in {401, 403}
        assert not set(HEADERS) & set(result.headers)

    assert shown(api.get("/v1/videos")) == (10_000, 9_999)


def test_a_path_that_needs_no_key_is_not_limited(api: World) -> None:
    limit(api, api_per_hour=0)

    for path in (
        "/health",
        "/health/live",
        "/health/ready",
        "/v1/openapi.json",
        "/nothing",
    ):
        assert not set(HEADERS) & set(api.get(path).headers)
    problem_of(api.get("/v1/videos"), 429, "rate_limit_exceeded")


def test_the_limit_is_judged_before_the_environment_and_the_input(api: World) -> None:
    limit(api, api_per_hour=0)

    for result in (
        api.get(f"/v1/api/{ORG}/environments/none/videos"),
        api.call("POST", UPLOAD_URL, body=b"{"),
    ):
        problem_of(result, 429, "rate_limit_exceeded")


def test_limits_can_be_switched_off(api: World) -> None:
    limit(api, BrokenStore(), enabled=False, api_per_hour=0)

    result = api.get("/v1/videos")

    body_of(result)
    assert not set(HEADERS) & set(result.headers)
    body_of(ask_upload(api))


def test_without_the_store_everything_goes_on_but_grants_of_uploads(
    api: World,
) -> None:
    limit(api, BrokenStore())
    path = f"/v1/api/{ORG}/environments/{ENV}/videos/upload-url"

    body_of(api.get("/v1/videos"))
    found = api.get(f"/v1/videos/{api.ready()}/signed-url")
    body_of(found)
    assert not set(HEADERS) & set(found.headers)
    for refused in (
        ask_upload(api),
        api.post(path, {"filename": "a.mp4", "fileSize": 1}),
    ):
        problem_of(refused, 503, "unavailable")
        assert int(refused.headers["Retry-After"]) >= 1


@pytest.mark.services
def test_a_store_that_was_killed_limits_again_when_it_is_back(api: World) -> None:
    with redis_server() as server:
        store = build(
            MovingWindowOptions(url=server.url),
            api.services._context,
        )
        limit(api, store)
        assert shown(ask_upload(api)) == (10, 9)

        server.stop()
        body_of(api.get("/v1/videos"))
        problem_of(ask_upload(api), 503, "unavailable")

        server.start()
        api.clock.move(timedelta(seconds=1))
        # It kept nothing, so it begins anew.
        assert shown(ask_upload(api)) == (10, 9)
        store.close()


def test_routes_count_under_the_buckets_that_were_decided() -> None:
    for route in ROUTES:
        name = f"{route.method} {route.path}"
        if name.endswith(("/upload-url", "POST /v1/uploads")):
            assert route.bucket is Bucket.UPLOAD_URL, name
        elif "/analytics/" in name:
            assert route.bucket is Bucket.ANALYTICS, name
        elif name.startswith("POST") and name.endswith("/thumbnail"):
            assert route.bucket is Bucket.THUMBNAILS, name
        elif (
            name.endswith(
                (
                    *("/signed-url", "/source", "/process", "/upload", "/download"),
                    *("/retry", "/share"),
                )
            )
            or "/edge-keys" in name
            or (name.startswith("DELETE") and name.endswith(("{videoID}", "{assetId}")))
        ):
            assert route.bucket is Bucket.VIDEO_OPERATIONS, name
