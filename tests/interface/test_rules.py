"""
Routes, errors, states, ladders and limits, table by table.
"""

from fractions import Fraction

import pytest
from falcon.testing import TestClient

from hvcore.domain.processing.encoding import EncodingSettings, PixelFormat, Preset
from hvcore.domain.processing.ladder import build_ladder
from hvcore.domain.processing.source_info import SourceInfo, VideoTrackInfo
from hvcore.domain.videos.states import TRANSITIONS
from hvcore.settings.tree import LimitSettings
from hvcore_api.routes import ROUTES
from tests.interface import tables
from tests.interface.operations import OPERATIONS, Operation, named
from tests.support.http.world import ENV, World, body_of, problem_of

# Thousands of cells of one kind: once is enough, whatever the interpreter.
pytestmark = pytest.mark.matrix

UNKNOWN = "vid_" + "0" * 22
DOCUMENTED = [
    (o, code) for o in OPERATIONS for code in tables.ERRORS_OF.get(o.name, ())
]


@pytest.fixture(scope="module")
def api(shared: World) -> World:
    return shared


@pytest.mark.parametrize(
    ("method", "path"), [*tables.DOCUMENTED_ROUTES, *tables.FURTHER_ROUTES]
)
def test_every_documented_route_is_there(method: str, path: str) -> None:
    assert (method, path) in {(route.method, route.path) for route in ROUTES}


def send(api: World, operation: Operation, code: str) -> None:  # noqa: C901 - one case for each code
    """
    Bring an error about and check its status and code.
    """
    path, body, query, key = operation.path(api), operation.given(api), None, api.key
    match code:
        case "unauthorized":
            result = TestClient(api.client.app).simulate_request(operation.method, path)
            problem_of(result, 401, code)
            return
        case "forbidden":
            key = api.make_key(permissions=frozenset())
        case "environment_not_found":
            path = path.replace(f"/{ENV}/", "/nowhere/")
            if operation.family == "B":
                # The key tells the environment, so that it is always there.
                return
        case "video_not_found":
            path = path.replace(path.split("/videos/")[1].split("/")[0], UNKNOWN)
        case "already_deleted":
            body_of(api.delete(path))
        case "processing_in_progress":
            body_of(api.post(path, body))
        case "invalid_page_size" | "invalid_expiration":
            name = {"invalid_page_size": "pageSize"}.get(code, "expiration")
            query = f"{name}=1000"
        case "invalid_parameters":
            body = {**body, "audioCodec": "none"}
        case _:
            field = next((f for f in operation.body if f.code == code), None)
            if field is None:
                # Family B's upload-url need not tell size and type.
                return
            body = {**body, field.name: field.refused[0]}
    result = api.call(
        operation.method,
        path,
        key=key,
        query=query,
        json=body if operation.body else None,
    )
    problem_of(result, tables.STATUS_OF[code], code)


@pytest.mark.parametrize(
    ("operation", "code"),
    [p for p in DOCUMENTED if p[1] != "rate_limit_exceeded"],
    ids=str,
)
def test_every_documented_error_comes_about(
    api: World, operation: Operation, code: str
) -> None:
    send(api, operation, code)


@pytest.mark.parametrize(
    "operation",
    [*named("upload-url"), *named("signed-url"), *named("process")],
    ids=str,
)
def test_a_limit_is_429_with_its_headers(limited: World, operation: Operation) -> None:
    given = operation.given(limited) if operation.name == "upload-url" else {}
    path = operation.path(limited)
    is_post = operation.method == "POST"

    results = [
        limited.call(operation.method, path, json=given if is_post else None)
        for _ in range(3)
    ]

    problem_of(results[-1], 429, "rate_limit_exceeded")
    assert results[0].headers["X-RateLimit-Limit"] == "2"
    assert [r.headers["X-RateLimit-Remaining"] for r in results] == ["1", "0", "0"]
    assert int(results[-1].headers["X-RateLimit-Reset"]) > 0
    assert int(results[-1].headers["Retry-After"]) > 0


def test_transitions_are_the_documented_ones() -> None:
    found = {
        (state.value, trigger.value, target.value)
        for (state, trigger), target in TRANSITIONS.items()
    }

    assert found == {*tables.TRANSITIONS, *tables.FURTHER_TRANSITIONS}


@pytest.mark.parametrize("preset", tables.LADDERS)
def test_a_preset_has_its_documented_ladder(preset: str) -> None:
    heights, (lowest, highest) = tables.LADDERS[preset]
    video = VideoTrackInfo(
        stream_index=0,
        codec="h264",
        width_px=3840,
        height_px=2160,
        frame_rate=Fraction(30),
        pixel_format=PixelFormat.YUV420P,
    )
    source = SourceInfo(video=video, duration_s=10.0, size_bytes=1, container="mov")

    rungs = build_ladder(source, EncodingSettings(preset=Preset(preset))).rungs

    assert tuple(rung.short_edge_px for rung in rungs) == heights
    assert rungs[0].video_kbps == lowest
    assert rungs[-1].video_kbps == highest
    assert [rung.key for rung in rungs] == [f"{height}p" for height in heights]


@pytest.mark.parametrize("name", tables.LIMITS_PER_HOUR)
def test_limits_are_the_documented_ones(name: str) -> None:
    assert getattr(LimitSettings(), name) == tables.LIMITS_PER_HOUR[name]


@pytest.mark.parametrize(
    "route",
    [route for route in ROUTES if not route.is_open],
    ids=lambda r: f"{r.method} {r.path}",
)
def test_a_route_counts_under_its_documented_limit(route: object) -> None:
    path, method = route.path, route.method  # type: ignore[attr-defined]
    expected = next(
        (b for b, parts in tables.BUCKETS.items() if any(p in path for p in parts)),
        None,
    )
    if method == "DELETE" and "/videos/{" in path:
        expected = "video-operations"
    bucket = route.bucket  # type: ignore[attr-defined]
    assert (bucket.value if bucket else None) == expected
