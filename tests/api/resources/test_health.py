"""
Is the service up, and can it work?
"""

import shutil

import attrs
import pytest
from falcon.testing import TestClient

from hvcore import __version__
from hvcore.plugin_api import Lack
from hvcore_web.readiness import STATE
from tests.support.http.world import World, body_of, problem_of

COMPONENTS = {"database", "clock", "storage", "queue", "disk", "transcoder"}


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


def test_the_service_without_storage_is_down(api: World) -> None:
    api.storage.is_down = True

    result = api.get("/health")

    assert result.status_code == 503
    assert result.headers["Content-Type"] == "application/problem+json"
    assert result.headers["Retry-After"]
    assert result.json["code"] == "unavailable"
    assert result.json["body"]["status"] == "down"
    assert result.json["body"]["checks"]["storage"] != "ok"


def test_the_service_without_a_queue_is_degraded(api: World) -> None:
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


def test_a_lack_of_the_encoder_is_named_and_degrades_nothing(api: World) -> None:
    lack = Lack(what="There is no aac-he.", fix="Install it.", is_refused=True)
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


def test_the_api_is_ready_without_storage_and_queue(api: World) -> None:
    api.queue.is_down = api.storage.is_down = True

    for _ in range(3):
        assert body_of(api.get("/health/ready")) == {"status": "ok"}


def test_the_api_is_not_ready_without_its_database(api: World) -> None:
    api.services.close()
    (api.folder / "hvcore.sqlite3").unlink()

    document = problem_of(api.get("/health/ready"), 503, "unavailable")

    assert "database" in document["detail"]


@pytest.mark.parametrize("free_mib", [0, 358, 512])
def test_a_disk_on_which_uploads_are_refused_degrades_health(
    api: World, monkeypatch: pytest.MonkeyPatch, free_mib: int
) -> None:
    disk = shutil.disk_usage(api.folder)._replace(total=2**34, free=free_mib << 20)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: disk)

    result = api.get("/health")

    body = body_of(result)
    assert (result.status_code, body["status"]) == (200, "degraded")
    assert f"{free_mib} MiB are free" in body["checks"]["disk"]
    assert "below 512 MiB" in body["checks"]["disk"]


def test_a_disk_on_which_uploads_are_taken_degrades_nothing(
    api: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = shutil.disk_usage(api.folder)._replace(total=2**34, free=513 << 20)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: disk)

    assert body_of(api.get("/health"))["status"] == "ok"


def test_a_process_that_stops_is_not_ready(
    api: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(STATE, "is_stopping", True)

    result = api.get("/health/ready")

    problem_of(result, 503, "unavailable")
    assert result.headers["Retry-After"]
    assert body_of(api.get("/health/live")) == {"status": "ok"}
