"""
Serve segments, and read reports of them.
"""

from datetime import UTC, datetime
from typing import Any

from jsonschema import Draft202012Validator

from hvcore.domain.access.tenants import Environment
from hvcore.domain.analytics.segments import SegmentPlace, SegmentServed
from hvcore.domain.ids import VideoId
from hvcore_api.routes import ROUTES
from tests.support.http.world import (
    ENV,
    ORG,
    World,
    body_of,
)

A = f"/v1/api/{ORG}"
A_ENV = f"{A}/environments/{ENV}"

NOW = datetime(2026, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC)

NOW_TEXT = "2026-01-02T03:04:05.678Z"


def serve(  # noqa: PLR0913 - what a segment is
    api: World,
    video_id: str,
    height_px: int = 720,
    *,
    times: int = 1,
    at: datetime = NOW,
    env: Environment | None = None,
) -> None:
    """
    Serve segments of a video, and bring them to the store.
    """
    env = env or api.env
    place = SegmentPlace(
        org_id=env.org_id,
        env_id=env.id,
        video_id=VideoId(video_id),
        height_px=height_px,
    )
    for _ in range(times):
        api.services.spool.append(SegmentServed(place=place, at=at))
    api.services.flusher.run_once()


def report(api: World, path: str, query: str | None = None, **more: Any) -> Any:  # noqa: ANN401 - JSON
    """
    Ask, and hold the answer against the schema of its route.
    """
    body = body_of(api.get(path, query, **more))
    parts = path.split("/")
    for route in ROUTES:
        wanted = route.path.split("/")
        if route.method == "GET" and len(parts) == len(wanted):
            same = all(
                w.startswith("{") or w == p for w, p in zip(wanted, parts, strict=True)
            )
            if same and "analytics" in wanted:
                assert route.answer is not None
                Draft202012Validator(route.answer).validate(body)
                return body
    raise AssertionError(path)
