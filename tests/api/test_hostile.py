"""
What an attacker sends to every route: refused, at once, and nothing changes.

Made of the route table, so that a new route is attacked as soon as it is there.
"""

import json
import sqlite3
import time
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import quote

import pytest
from falcon.testing import Result
from jsonschema import Draft202012Validator

from hvcore.domain.access.keys import KeyType
from hvcore.wire.converter import fields_of
from hvcore.wire.request_schemas import body_schema
from hvcore_api.routes import ROUTES
from hvcore_api.routing import Route
from tests.interface.field_tables import JUDGED_BY_SERVICES
from tests.support.databases.database_rows import all_rows
from tests.support.http.world import ENV, ORG, Key, World
from tests.wire.hostile_values import HOSTILE_VALUES

# Thousands of cells of one kind: once is enough, whatever the interpreter.
pytestmark = pytest.mark.matrix

MAX_CPU_S: Final = 2.0
"""Of this process, since others may have the machine meanwhile."""
MAX_ANSWER_BYTES: Final = 64 * 1024
LONG: Final = "x" * 100_000

HOSTILE_PARTS: Final = (
    "%2e%2e",
    "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "..%2f..%2f",
    "%2f",
    "%00",
    "vid_%00",
    "%0d%0aX-Injected:%20yes",
    "%0a",
    "..%5c..%5cwindows",
    "%e2%80%a4%e2%80%a4",
    "%ef%bc%8e%ef%bc%8e",
    "%ed%a0%80",
    "%ff%fe",
    "'%20OR%20'1'='1",
    "%24%7bjndi:x%7d",
    "%3cscript%3e",
    "*",
    "%25",
    "vid_" + "0" * 10_000,
)
JSON: Final = "application/json"
HOSTILE_BODIES: Final = {
    "deep": b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
    "wide": b"[" + b"[]," * 20_000 + b"[]]",
    "too long": b'{"a": "' + b"x" * 70_000 + b'"}',
    "twice": b'{"a": 1, "a": 2}',
    "nul": b"\x00",
    "list": b"[]",
}
"""One of each kind: all that is no JSON, tests/web/test_json_media.py sends."""
CONTENT_TYPES: Final = (
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/json; charset=utf-16",
    "application/jsonp",
    "text/html",
    "../../etc/passwd",
    "é",
)
HOSTILE_TEXTS: Final = (
    "%00",
    "%ff",
    "%ed%a0%80",
    "9" * 100,
    "-" + "9" * 5_000,
    LONG,
    "%0d%0aX-Injected:%20yes",
    "..%2f..%2f",
)

WITH_KEY: Final = [route for route in ROUTES if not route.is_open]
BODY: Final = [route for route in WITH_KEY if route.body]


def routes(found: list[Route]) -> Any:  # noqa: ANN401 - pytest's mark
    return pytest.mark.parametrize("route", found, ids=lambda r: f"{r.method} {r.path}")


@pytest.fixture(scope="module")
def api(shared: World) -> World:
    # Each test proves that it has changed nothing.
    return shared


@pytest.fixture(scope="module")
def names(api: World) -> dict[str, str]:
    """
    What exists, by our names of path parameters.
    """
    return {
        "org_id": ORG,
        "env_ref": ENV,
        "video_id": api.ready(),
        "share_id": "shr_" + "0" * 22,
        "edge_key": "ek_" + "0" * 22,
        "language": "en",
    }


@pytest.fixture(scope="module")
def full_key(api: World) -> Key:
    """
    A key that no route refuses for its type.
    """
    return api.make_key(KeyType.FULL_ACCESS)


@pytest.fixture(autouse=True)
def _nothing_changes(
    api: World, names: dict[str, str], full_key: Key
) -> Iterator[None]:
    # The first use of a key is noted.
    api.get("/v1/videos")
    api.get("/v1/videos", key=full_key)
    # Else the first report notes the lengths of videos.
    api.services.learn_lengths()
    before = dump(api)

    yield

    assert dump(api) == before
    assert not api.storage.files
    assert not api.queue.rung


def dump(api: World) -> list[str]:
    """
    Return the whole database as text.
    """
    with sqlite3.connect(api.folder / "hvcore.sqlite3") as connection:
        lines = list(all_rows(connection))
    connection.close()
    return lines


def send(api: World, route: Route, path: str, **request: Any) -> Result:  # noqa: ANN401 - parts of a request
    """
    Send a request without counting it, and see that it is refused well.
    """
    begin = time.process_time()
    result = api.call(route.method, path, **request)
    took_s = time.process_time() - begin

    assert 400 <= result.status_code < 500, (path[:100], result.text[:500])
    assert result.headers["Content-Type"] == "application/problem+json"
    assert set(result.json) == {"title", "status", "code", "detail", "errors"}
    assert result.json["status"] == result.status_code
    assert len(result.content) < MAX_ANSWER_BYTES
    assert "X-Injected" not in result.headers
    assert api.key.value not in result.text
    assert took_s < MAX_CPU_S
    return result


@routes([route for route in WITH_KEY if route.parameters])
def test_no_part_of_a_path_can_be_anything(
    api: World, names: dict[str, str], route: Route
) -> None:
    for parameter in names:
        if f"{{{parameter}}}" not in route.template:
            continue
        for part in HOSTILE_PARTS:
            path = route.template.format(**{**names, parameter: part})

            result = send(api, route, path)

            assert result.status_code in {400, 403, 404}, (path, result.text)


@routes(BODY)
def test_no_body_is_a_bomb(api: World, names: dict[str, str], route: Route) -> None:
    path = route.template.format(**names)
    for body in HOSTILE_BODIES.values():
        send(api, route, path, body=body, headers={"Content-Type": JSON})


@routes(BODY)
def test_no_field_takes_what_its_schema_does_not(
    api: World, names: dict[str, str], full_key: Key, route: Route
) -> None:
    path = route.template.format(**names)
    assert route.body is not None
    members = body_schema(route.body)["properties"]
    assert isinstance(members, dict)
    for name, schema in members.items():
        refused = [
            value
            for value in HOSTILE_VALUES
            if not Draft202012Validator(schema).is_valid(value)
        ]
        # tests/wire tries all of them at what the form alone decides.
        for value in refused if name in JUDGED_BY_SERVICES else refused[:1]:
            body = json.dumps({name: value}).encode()
            headers = {"Content-Type": JSON}

            result = send(api, route, path, body=body, headers=headers, key=full_key)

            assert result.status_code in {400, 413, 422}
            if result.status_code != 413:
                locations = [error["location"] for error in result.json["errors"]]
                assert f"body.{name}" in locations, (value, result.text[:500])


@routes(BODY)
def test_no_other_content_type_is_read(
    api: World, names: dict[str, str], full_key: Key, route: Route
) -> None:
    path = route.template.format(**names)
    for content_type in CONTENT_TYPES:
        headers = {"Content-Type": content_type.encode().decode("latin-1")}

        result = send(api, route, path, body=b"{}", headers=headers, key=full_key)

        assert result.status_code == 415


@routes([route for route in WITH_KEY if route.query])
def test_no_parameter_takes_anything(
    api: World, names: dict[str, str], route: Route
) -> None:
    path = route.template.format(**names)
    assert route.query is not None
    for spec in fields_of(route.query):
        if spec.name in {"search", "spoken"}:
            texts = ["%00", LONG]
        elif spec.name in {"externalID", "tag"}:
            # Of any characters, but for those that control something.
            texts = ["", "%00", "%0A", "%C2%85", LONG, f"1&{spec.name}=1"]
        else:
            texts = [*HOSTILE_TEXTS, f"1&{spec.name}=1", quote("٣")]
        for text in texts:
            send(api, route, path, query=f"{spec.name}={text}")


@routes([route for route in WITH_KEY if route.method == "GET"])
def test_a_long_query_changes_nothing(
    api: World, names: dict[str, str], route: Route
) -> None:
    query = "&".join(f"x{number}={number}" for number in range(5_000))
    begin = time.process_time()

    result = api.get(route.template.format(**names), query)

    assert time.process_time() - begin < MAX_CPU_S
    assert result.status_code in {200, 400, 404, 414}


@routes(WITH_KEY)
def test_no_key_is_two_keys_or_half_a_key(
    api: World, names: dict[str, str], route: Route
) -> None:
    path = route.template.format(**names)
    mine = api.key.value
    for value in (
        f"{mine},{mine}",
        f"{mine}, x",
        f" {mine}x",
        mine[:-1],
        LONG,
        "é",
    ):
        send(api, route, path, key=Key(value=value))


@routes([route for route in WITH_KEY if route.is_idempotent])
def test_no_idempotency_key_can_be_anything(
    api: World, names: dict[str, str], route: Route
) -> None:
    path = route.template.format(**names)
    for value in ("", " ", "a b", "é", "x" * 256, LONG, "a\tb"):
        send(api, route, path, headers={"Idempotency-Key": value}, body=b"[]")
