"""
Several requests and uploads at a time.
"""

import fcntl
from pathlib import Path

import pytest
from falcon.testing import Result, TestClient

from hvcore.incoming import disk_space as room_module
from hvcore_upload import pace as pace_module
from hvcore_upload.app import make_app
from tests.support.http.world import World, problem_of
from tests.upload.tus.exchange import (
    DATA,
    ask,
    created,
    cut_off,
    files,
    offset_of,
    patch,
)


def test_two_requests_do_not_write_at_once(api: World, client: TestClient) -> None:
    location = created(api)
    meanwhile: list[Result] = []

    def again() -> None:
        meanwhile.append(patch(client, location, b"x", 700))
        meanwhile.append(ask(client, "DELETE", location))

    cut_off(client, location, DATA[:700], then=again)

    for result in meanwhile:
        problem_of(result, 423, "locked")
        assert result.headers["Retry-After"] == "1"
    assert offset_of(client, location) == 700


def test_puts_and_patches_share_their_places(api: World) -> None:
    client = TestClient(make_app(api.services, max_concurrent=1))
    location, other = created(api), created(api)
    meanwhile: list[Result] = []

    def again() -> None:
        meanwhile.append(patch(client, other, b"x"))
        meanwhile.append(ask(client, "HEAD", other))

    cut_off(client, location, DATA[:700], then=again)

    problem_of(meanwhile[0], 503, "unavailable")
    assert meanwhile[0].headers["Retry-After"] == "10"
    assert meanwhile[1].status_code == 200
    assert patch(client, other, b"x").status_code == 204


def test_a_nearly_full_disk_takes_nothing(
    api: World, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    location = created(api)
    with monkeypatch.context() as full:
        full.setattr(room_module, "FREE_RESERVE_BYTES", 2**62)
        problem_of(patch(client, location, DATA), 503, "unavailable")

    assert patch(client, location, DATA).status_code == 204


def test_a_sender_that_trickles_is_given_up_and_may_go_on(
    api: World, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pace_module, "GRACE_S", -1.0)
    monkeypatch.setattr(pace_module, "MIN_BYTES_PER_S", 2**60)
    location = created(api)

    problem_of(patch(client, location, DATA[:700]), 409, "conflict")

    assert offset_of(client, location) == 700


def test_a_folder_without_locks_takes_no_resumable_uploads(
    api: World, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_file: int, _how: int) -> None:
        raise OSError(37, "no locks here")

    location = created(api)
    monkeypatch.setattr(fcntl, "flock", refuse)

    problem_of(patch(client, location, DATA), 503, "unavailable")


def test_a_file_kept_before_it_was_locked_is_not_written_to(
    api: World, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    location = created(api)
    patch(client, location, DATA[:700])
    (file,) = files(api)
    flock = fcntl.flock
    moved: list[Path] = []

    def late(descriptor: int, how: int) -> None:
        if not moved:
            moved.append(file.rename(file.with_name("stored")))
        flock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", late)

    problem_of(patch(client, location, DATA[700:], 700), 409, "conflict")
    assert moved[0].read_bytes() == DATA[:700]
