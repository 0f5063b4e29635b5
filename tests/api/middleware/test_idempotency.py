"""
``Idempotency-Key``: sent again, done once.
"""

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from falcon.testing import Result

from hvcore.domain.access.idempotency import CLAIMED_FOR, IdempotencyScope
from hvcore.domain.access.keys import ALL_PERMISSIONS, KeyType, Permission
from hvcore.domain.uploads.grants import FileWanted
from hvcore.persistence import tables
from hvcore_api.routes import ROUTES
from tests.persistence.samples import at_once
from tests.support.http.limited import limit
from tests.support.http.world import (
    ENV,
    ORG,
    OTHER_ORG,
    Key,
    World,
    body_of,
    locations,
    problem_of,
)

UPLOAD_URL = "/v1/videos/upload-url"
PROCESS = "/v1/videos/process"
FILE = {"fileName": "a.mp4"}
REPLAYED = "Idempotency-Replayed"


def send(  # noqa: PLR0913 - the parts of a request
    api: World,
    idempotency_key: str = "k1",
    json: object = FILE,
    *,
    path: str = UPLOAD_URL,
    key: Key | None = None,
    query: str | None = None,
) -> Result:
    return api.call(
        "POST",
        path,
        json=json,
        key=key,
        query=query,
        headers={"Idempotency-Key": idempotency_key},
    )


def videos(api: World) -> int:
    """
    Count all videos, awaited ones too.
    """
    statement = sa.select(sa.func.count()).select_from(tables.videos)
    with api.services.engine.connect() as connection:
        return connection.execute(statement).scalar_one()


def id_of(result: Result) -> str:
    return str(body_of(result)["assetId"])


def test_the_same_request_gives_the_first_answer_and_does_nothing(api: World) -> None:
    first, second = send(api), send(api)

    assert second.content == first.content
    assert second.status_code == first.status_code == 200
    assert second.headers["Content-Type"] == first.headers["Content-Type"]
    assert second.headers["Cache-Control"] == "no-store"
    assert second.headers[REPLAYED] == "true"
    assert REPLAYED not in first.headers
    assert second.headers["X-Request-Id"] != first.headers["X-Request-Id"]
    assert videos(api) == 1


def test_without_the_header_each_request_stands_for_itself(api: World) -> None:
    first, second = api.post(UPLOAD_URL, FILE), api.post(UPLOAD_URL, FILE)

    assert id_of(first) != id_of(second)


def test_other_keys_are_other_requests(api: World) -> None:
    assert id_of(send(api, "k1")) != id_of(send(api, "k2")) != id_of(send(api, "K1"))


@pytest.mark.parametrize(
    "other",
    [
        {"json": {"fileName": "b.mp4"}},
        {"json": {"fileName": "a.mp4", "videoQuality": "high"}},
        {"query": "a=1"},
    ],
)
def test_another_request_with_the_key_is_refused(
    api: World, other: dict[str, Any]
) -> None:
    send(api)

    result = send(api, **other)

    document = problem_of(result, 422, "invalid_parameters")
    assert locations(document) == ["header.Idempotency-Key"]
    assert videos(api) == 1


def test_another_content_type_is_another_request(api: World) -> None:
    def send_as(content_type: str) -> Result:
        headers = {"Idempotency-Key": "k1", "Content-Type": content_type}
        return api.call("POST", UPLOAD_URL, body=b'{"fileName":"a"}', headers=headers)

    assert send_as("text/plain").status_code == 415

    # Rather than the 415 again, which would hide that it was fixed.
    problem_of(send_as("application/json"), 422, "invalid_parameters")


def test_of_fifty_at_once_one_creates_and_all_learn_of_it(api: World) -> None:
    limit(api, upload_url_per_minute_and_key=1_000)

    results = at_once(lambda _: send(api), threads=50)

    assert videos(api) == 1
    answers = [result for result in results if isinstance(result, Result)]
    assert len(answers) == 50
    created = [answer for answer in answers if answer.status_code == 200]
    assert len({id_of(answer) for answer in created}) == 1
    assert sum(REPLAYED not in answer.headers for answer in created) == 1
    for answer in answers:
        if answer.status_code != 200:
            problem_of(answer, 409, "conflict")
    assert id_of(send(api)) == id_of(created[0])


def test_while_the_first_runs_others_are_told_so(api: World) -> None:
    send(api)
    claim_anew(api)

    problem_of(send(api), 409, "conflict")

    assert videos(api) == 1


def test_a_request_whose_process_died_is_run_again(api: World) -> None:
    send(api)
    claim_anew(api)
    api.clock.move(CLAIMED_FOR)

    result = send(api)

    body_of(result)
    assert REPLAYED not in result.headers
    assert videos(api) == 2


def claim_anew(api: World) -> None:
    """
    Make the one request look as if it still ran.
    """
    with api.services.engine.connect() as connection, connection.begin():
        connection.execute(sa.update(tables.idempotency).values(status=None))


@pytest.mark.parametrize(
    ("path", "lifetime"),
    [(UPLOAD_URL, timedelta(hours=1)), (PROCESS, timedelta(hours=24))],
)
def test_an_answer_is_kept_for_its_time(
    api: World, path: str, lifetime: timedelta
) -> None:
    json: dict[str, object] = dict(FILE)
    if path == PROCESS:
        json = {
            "gcsPath": "uploads/none",
            "videoQuality": "high",
            "allowPublicAccess": True,
        }
    send(api, json=json, path=path)

    api.clock.move(lifetime - timedelta(seconds=1))
    assert REPLAYED in send(api, json=json, path=path).headers

    api.clock.move(timedelta(seconds=1))
    assert REPLAYED not in send(api, json=json, path=path).headers


def test_a_refusal_of_the_request_itself_is_given_again(api: World) -> None:
    first = send(api, json={"fileName": 5})
    second = send(api, json={"fileName": 5})

    problem_of(first, 422, "invalid_parameters")
    problem_of(second, 422, "invalid_parameters")
    assert second.content == first.content
    assert second.headers[REPLAYED] == "true"
    # To send something else, one needs another key.
    document = problem_of(send(api), 422, "invalid_parameters")
    assert locations(document) == ["header.Idempotency-Key"]


def test_a_refusal_of_the_caller_is_not_kept(api: World) -> None:
    weak = api.make_key(permissions=ALL_PERMISSIONS - {Permission.VIDEOS_WRITE})
    problem_of(send(api, key=weak), 403, "forbidden")
    problem_of(send(api, key=Key(value="x")), 401, "unauthorized")
    limit(api, upload_url_per_hour=0)
    problem_of(send(api), 429, "rate_limit_exceeded")

    limit(api)

    result = send(api)
    body_of(result)
    assert REPLAYED not in result.headers


def test_a_failure_is_not_kept(api: World) -> None:
    path = upload(api)
    json = {"gcsPath": path, "videoQuality": "high", "allowPublicAccess": True}
    capabilities = api.services.transcoder.capabilities
    api.services.transcoder.capabilities = crash  # type: ignore[method-assign]  # a bug in a plugin
    problem_of(send(api, json=json, path=PROCESS), 500, "internal_error")
    api.services.transcoder.capabilities = capabilities  # type: ignore[method-assign]  # see above

    result = send(api, json=json, path=PROCESS)

    body_of(result)
    assert REPLAYED not in result.headers


def upload(api: World) -> str:
    granted = api.services.uploads.grant(api.env, FileWanted(file_name="a.mp4"))
    api.upload(granted.grant.path)
    return granted.grant.path


def crash() -> Any:  # noqa: ANN401 - never returns
    raise RuntimeError("a bug")


def test_a_repetition_counts_under_the_rate_limit_like_any_request(
    api: World,
) -> None:
    remaining = [int(send(api).headers["X-RateLimit-Remaining"]) for _ in range(3)]

    assert remaining == [9, 8, 7]


def test_keys_of_one_environment_share_its_answers(api: World) -> None:
    first = send(api)
    second = send(api, key=api.make_key())
    full = send(api, key=api.make_key(KeyType.FULL_ACCESS))

    assert id_of(first) == id_of(second) == id_of(full)


def test_each_environment_has_its_own(api: World) -> None:
    first = send(api)

    for key in (
        api.make_key(env="dev"),
        api.make_key(org=OTHER_ORG, env="theirs"),
    ):
        other = send(api, key=key)
        assert REPLAYED not in other.headers
        assert id_of(other) != id_of(first)


def test_an_answer_never_reaches_a_key_outside_of_its_environment(api: World) -> None:
    path = f"/v1/api/{ORG}/environments/{ENV}/videos/upload-url"
    json = {"filename": "a.mp4", "fileSize": 1}
    body_of(send(api, json=json, path=path))

    outside = send(api, json=json, path=path, key=api.make_key(env="dev"))
    elsewhere = send(
        api, json=json, path=path, key=api.make_key(org=OTHER_ORG, env="theirs")
    )

    problem_of(outside, 403, "forbidden")
    problem_of(elsewhere, 403, "forbidden")


def test_an_answer_about_a_video_never_reaches_a_key_outside_either(
    api: World,
) -> None:
    # The path names no environment; the video's own decides, later.
    path = f"/v1/api/{ORG}/videos/{api.ready()}/share"
    body_of(send(api, json={}, path=path))

    repeated = send(api, json={}, path=path, key=api.make_key())
    outside = send(api, json={}, path=path, key=api.make_key(env="dev"))

    assert repeated.headers[REPLAYED] == "true"
    problem_of(outside, 403, "forbidden")


def test_an_environments_id_and_its_name_are_one_environment(api: World) -> None:
    json = {"filename": "a.mp4", "fileSize": 1}
    for ref in (ENV, api.env.id):
        path = f"/v1/api/{ORG}/environments/{ref}/videos/upload-url"
        last = send(api, json=json, path=path)

    # Another path is another request.
    problem_of(last, 422, "invalid_parameters")


def test_the_families_are_different_routes(api: World) -> None:
    path = f"/v1/api/{ORG}/environments/{ENV}/videos/upload-url"
    body_of(send(api))

    other = send(api, json={"filename": "a.mp4", "fileSize": 1}, path=path)

    body_of(other)
    assert REPLAYED not in other.headers


@pytest.mark.parametrize("value", ["", "a b", "é", "a\tb", "x" * 256])
def test_a_key_of_another_form_is_refused(api: World, value: str) -> None:
    document = problem_of(send(api, value), 400, "invalid_parameters")

    assert locations(document) == ["header.Idempotency-Key"]
    assert videos(api) == 0


@pytest.mark.parametrize("value", ["!", '"quoted"', "x" * 255, "a,b", "~"])
def test_any_visible_ascii_is_a_key(api: World, value: str) -> None:
    assert id_of(send(api, value)) == id_of(send(api, value))


def test_routes_that_create_nothing_ignore_the_header(api: World) -> None:
    result = api.call("GET", "/v1/videos", headers={"Idempotency-Key": "a b"})

    body_of(result)


def test_a_body_is_judged_by_the_resource_after_it_was_compared(api: World) -> None:
    for _ in range(2):
        result = api.call(
            "POST", UPLOAD_URL, body=b"{", headers={"Idempotency-Key": "k1"}
        )
        problem_of(result, 400, "invalid_parameters")
    assert result.headers[REPLAYED] == "true"


def test_a_body_that_is_too_large_is_not_read(api: World) -> None:
    result = api.call(
        "POST", UPLOAD_URL, body=b" " * 70_000, headers={"Idempotency-Key": "k1"}
    )

    problem_of(result, 413, "payload_too_large")


def test_the_sweep_removes_what_expired(api: World) -> None:
    send(api, "k1")
    api.clock.move(timedelta(minutes=30))
    send(api, "k2")
    api.clock.move(timedelta(minutes=30))

    api.services.idempotency.forget_expired()

    with api.services.uow.read() as work:
        found = [
            work.first_requests.find(
                IdempotencyScope(
                    org_id=ORG,
                    env_id=api.env.id,
                    route=f"POST {UPLOAD_URL}",
                    key=key,
                )
            )
            for key in ("k1", "k2")
        ]
    assert [first is not None for first in found] == [False, True]


def test_every_post_that_creates_something_obeys_the_header() -> None:
    # Done twice, these leave what they leave when they are done once.
    repeatable = ("/retry", "/thumbnail", "/upload-complete", "/restore")

    for route in ROUTES:
        if route.method == "POST" and not route.path.endswith(repeatable):
            assert route.is_idempotent, route.path
