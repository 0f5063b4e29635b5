"""
Is the service up, and can it work?
"""

import attrs
import pytest
from falcon.testing import TestClient

from hv_web.readiness import STATE
from hvcore import __version__
from hvcore.plugin_api import Lack
from tests.http.world import World, body_of, problem_of

COMPONENTS = {"database", "clock", "storage", "queue", "transcoder"}


def test_health_needs_no_key(api: World) -> None:
    body = body_of(TestClient(api.client.app).simulate_get("/health"))

    assert body == {
        "status": "ok",
        "version": __version__,
        "checks": dict.fromkeys(COMPONENTS, "ok"),
        "lacks": [],
        "sandbox": "",
    }


def test_health_says_how_what_strangers_upload_is_confined(api: World) -> None:
    for level in ("bwrap", "rlimits"):
        api.transcoder.able = attrs.evolve(api.transcoder.able, sandbox=level)

        body = body_of(api.get("/health"))

        assert (body["sandbox"], body["status"]) == (level, "ok")


def test_without_its_storage_the_service_is_down(api: World) -> None:
    api.storage.is_down = True

    result = api.get("/health")

    assert result.status_code == 503
    assert result.headers["Content-Type"] == "application/problem+json"
    assert result.headers["Retry-After"]
    assert result.json["code"] == "unavailable"
    assert result.json["body"]["status"] == "down"
    assert result.json["body"]["checks"]["storage"] != "ok"


def test_without_its_queue_the_service_is_degraded(api: World) -> None:
    api.queue.is_down = True

    body = body_of(api.get("/health"))

    assert body["status"] == "degraded"
    assert body["checks"]["queue"] != "ok"


def test_without_an_encoder_the_service_is_degraded(api: World) -> None:
    api.transcoder.able = attrs.evolve(
        api.transcoder.able, usable=False, problems=("There is no ffmpeg.",)
    )

    body = body_of(api.get("/health"))

    assert body["status"] == "degraded"
    assert body["checks"]["transcoder"] == "There is no ffmpeg."


def test_what_the_encoder_lacks_is_named_and_degrades_nothing(api: World) -> None:
    lack = Lack(what="There is no aac-he.", mend="Install it.", is_refused=True)
    api.transcoder.able = attrs.evolve(
        api.transcoder.able, lacks=(lack,), problems=("This version has a hole.",)
    )

    body = body_of(api.get("/health"))

    assert body["status"] == "ok"
    assert body["lacks"] == ["There is no aac-he."]
    # Which holes it has is not for everybody.
    assert "hole" not in str(body)


def test_live_asks_nothing(api: World) -> None:
    api.storage.is_down = api.queue.is_down = True

    assert body_of(api.get("/health/live")) == {"status": "ok"}


def test_ready_asks_database_and_storage(api: World) -> None:
    api.queue.is_down = True

    assert body_of(api.get("/health/ready")) == {"status": "ok"}

    api.storage.is_down = True
    document = problem_of(api.get("/health/ready"), 503, "unavailable")
    assert "storage" in document["detail"]


def test_a_process_that_stops_is_not_ready(
    api: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(STATE, "is_stopping", True)

    result = api.get("/health/ready")

    problem_of(result, 503, "unavailable")
    assert result.headers["Retry-After"]
    assert body_of(api.get("/health/live")) == {"status": "ok"}
