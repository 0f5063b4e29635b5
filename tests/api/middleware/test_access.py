"""
Keys, scopes, permissions, and the order in which they are judged.
"""

import logging
from datetime import timedelta

import pytest
from falcon.testing import TestClient

from hvcore.domain.access.keys import ALL_PERMISSIONS, KeyType, Permission
from hvcore.throttling.turns import client_of_turn, having_turn
from hvcore_api.routes import ROUTES
from hvcore_api.routing import Route
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

# Nearly a thousand cells of one kind: once is enough, whatever the interpreter.
pytestmark = pytest.mark.matrix

CLOSED = [route for route in ROUTES if not route.is_open]
FAMILY_A = [route for route in CLOSED if "{orgID}" in route.path]
FAMILY_B = [route for route in CLOSED if "{orgID}" not in route.path]
OF_AN_ENVIRONMENT = [route for route in FAMILY_A if "{envID}" in route.path]
UNKNOWN_KEY = Key(value="hv_live_" + "0" * 32)


@pytest.fixture(scope="module")
def api(shared: World) -> World:
    return shared


def name_of(route: Route) -> str:
    return f"{route.method} {route.path}"


def each(routes: list[Route]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("route", routes, ids=name_of)


def address(route: Route, org: str = ORG, env: str = ENV) -> str:
    """
    Return the route's path with an unknown video.
    """
    path = route.path.replace("{orgID}", org).replace("{envID}", env)
    path = path.replace("{language}", "en")
    for name in ("publicID", "videoID", "assetId"):
        path = path.replace(f"{{{name}}}", "vid_" + "0" * 22)
    return path


def test_an_address_takes_turns_as_the_organization_whose_key_it_sends(
    api: World,
) -> None:
    with having_turn("an address", end=bool):
        api.get("/v1/videos", key=UNKNOWN_KEY)
        assert client_of_turn() == "an address"

        assert api.get("/v1/videos").status_code == 200

        assert client_of_turn() == ORG


@each(CLOSED)
def test_every_route_needs_a_key(api: World, route: Route) -> None:
    client = TestClient(api.client.app)

    result = client.simulate_request(route.method, address(route))

    problem_of(result, 401, "unauthorized")


@pytest.mark.parametrize(
    "value",
    # What is no key at all, test_authorization.py sends to every route.
    [
        "hv_live_" + "0" * 32,
        "hv_live_" + "é" * 32,
        "Bearer hv_live_",
        "hv_live_" + "0" * 10_000,
    ],
)
def test_an_invalid_key_is_refused_and_never_shown(api: World, value: str) -> None:
    result = api.get("/v1/videos", key=Key(value=value))

    problem_of(result, 401, "unauthorized")
    assert "hv_live_" not in result.text


def test_two_keys_in_one_request_are_no_key(api: World) -> None:
    # So gunicorn hands a repeated header over.
    both = Key(value=f"{api.key.value},{api.key.value}")

    problem_of(api.get("/v1/videos", key=both), 401, "unauthorized")


def test_a_key_that_ran_out_is_refused(fresh: World) -> None:
    key = fresh.make_key(expires_in=timedelta(hours=1))
    body_of(fresh.get("/v1/videos", key=key))

    fresh.clock.move(timedelta(hours=1))

    problem_of(fresh.get("/v1/videos", key=key), 401, "unauthorized")


@each(FAMILY_A)
@pytest.mark.parametrize(
    "org", ["org_none", "..%5c", "%00", "a%0d%0ab", "%F0%9F%8E%AC"]
)
def test_an_organization_that_does_not_exist_is_forbidden(
    api: World, route: Route, org: str
) -> None:
    problem_of(api.call(route.method, address(route, org=org)), 403, "forbidden")


@each(FAMILY_A)
@pytest.mark.parametrize("org", ["org_none", "%00", "a%0d%0ab", "x" * 65])
def test_a_system_key_finds_no_unknown_organization(
    api: World, route: Route, org: str
) -> None:
    key = api.system_key()

    # Input is judged before the existence of a video.
    sent = {"PATCH": {"videoName": "x"}, "POST": {"timestampSeconds": 1}}
    result = api.call(
        route.method, address(route, org=org), key=key, json=sent.get(route.method)
    )

    assert result.status_code == 404
    assert result.json["code"] in {
        "not_found",
        "environment_not_found",
        "video_not_found",
    }


@each(OF_AN_ENVIRONMENT)
@pytest.mark.parametrize(
    "env", ["none", "theirs", "%00", "..", "%2e%2e", "é", "x" * 65]
)
def test_an_unknown_environment_is_not_found(
    api: World, route: Route, env: str
) -> None:
    result = api.call(route.method, address(route, env=env))

    document = problem_of(result, 404, "environment_not_found")
    assert locations(document) == ["path.envID"]


@each(OF_AN_ENVIRONMENT)
def test_an_existing_environment_outside_the_scope_is_forbidden(
    api: World, route: Route
) -> None:
    problem_of(api.call(route.method, address(route, env="dev")), 403, "forbidden")


@each([route for route in FAMILY_B if not route.is_for_every_key])
@pytest.mark.parametrize("key_type", [KeyType.SYSTEM, KeyType.FULL_ACCESS])
def test_a_key_without_an_environment_is_forbidden_in_family_b(
    api: World, route: Route, key_type: KeyType
) -> None:
    org = ORG if key_type is KeyType.FULL_ACCESS else None
    key = api.make_key(key_type, org=org, env=None)

    problem_of(api.call(route.method, address(route), key=key), 403, "forbidden")


def test_a_full_access_keys_default_environment_serves_family_b(api: World) -> None:
    api.ready(api.dev, name="dev")
    key = api.make_key(KeyType.FULL_ACCESS, env="dev")

    videos = body_of(api.get("/v1/videos", key=key))["videos"]

    assert [video["name"] for video in videos] == ["dev"]


@each([route for route in CLOSED if route.permission])
def test_a_missing_permission_is_forbidden(api: World, route: Route) -> None:
    assert route.permission is not None
    key = api.make_key(permissions=ALL_PERMISSIONS - {route.permission})

    result = api.call(route.method, address(route), key=key)

    assert route.permission.value in problem_of(result, 403, "forbidden")["detail"]


@each([route for route in CLOSED if route.permission])
def test_the_routes_permission_alone_suffices(api: World, route: Route) -> None:
    assert route.permission is not None
    is_setting = route.method == "PUT" and route.path.endswith("/caption-defaults")
    key_type = KeyType.FULL_ACCESS if is_setting else KeyType.ENVIRONMENT
    key = api.make_key(key_type, permissions=frozenset({route.permission}))

    result = api.call(route.method, address(route), key=key)

    assert result.status_code not in {401, 403}


def test_permissions_are_those_that_were_decided() -> None:
    needed = {name_of(route): route.permission for route in CLOSED}

    for name, permission in needed.items():
        if "/analytics/" in name:
            assert permission is Permission.ANALYTICS_READ
        elif name.endswith("/signed-url") or "/share" in name or "/edge-keys" in name:
            assert permission is Permission.PLAYBACK_SIGN
        elif name.endswith(("/environments", "/whoami")):
            assert permission is None
        elif name.startswith("GET"):
            assert permission is Permission.VIDEOS_READ
        else:
            assert permission is Permission.VIDEOS_WRITE


@each(OF_AN_ENVIRONMENT)
def test_the_organization_is_judged_before_the_environment(
    api: World, route: Route
) -> None:
    result = api.call(route.method, address(route, org=OTHER_ORG, env="none"))

    problem_of(result, 403, "forbidden")


@each(OF_AN_ENVIRONMENT)
def test_the_environment_is_judged_before_the_input(api: World, route: Route) -> None:
    result = api.call(
        route.method,
        address(route, env="none"),
        body=b"{" if route.method == "POST" else None,
        query="page=x",
    )

    problem_of(result, 404, "environment_not_found")


def test_environments_are_those_that_the_key_reaches(api: World) -> None:
    path = f"/v1/api/{ORG}/environments"
    full = api.make_key(KeyType.FULL_ACCESS, env=None)

    own = body_of(api.get(path))["environments"]
    every = body_of(api.get(path, key=full))["environments"]
    theirs = api.get(f"/v1/api/{OTHER_ORG}/environments", key=api.system_key())

    assert own == [
        {
            "envID": "live",
            "orgID": ORG,
            "name": "live",
            "kind": "production",
            "createdAt": "2026-01-02T03:04:05.678Z",
        }
    ]
    assert {env["name"] for env in every} == {"live", "dev"}
    assert [env["name"] for env in body_of(theirs)["environments"]] == ["theirs"]


def test_environments_need_no_permission(api: World) -> None:
    key = api.make_key(permissions=frozenset())

    body_of(api.get(f"/v1/api/{ORG}/environments", key=key))


def test_neither_a_key_nor_a_signed_address_is_logged(
    api: World, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    signed = body_of(api.get(f"/v1/videos/{api.ready()}/signed-url"))["signed_url"]
    granted = api.post("/v1/videos/upload-url", {"fileName": "a.mp4"}).json["body"]

    everything = "\n".join(str(record.__dict__) for record in caplog.records)
    assert api.key.value not in everything
    assert signed.partition("?token=")[2] not in everything
    assert granted["signedURL"] not in everything
