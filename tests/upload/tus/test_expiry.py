"""
Uploads run out, and what they left is removed.
"""

import io
import os
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

import pytest
from falcon.testing import TestClient

from hvcore.domain.videos.states import VideoState
from hvcore_upload import bodies, chunk_writer
from hvcore_upload.app import make_app
from tests.support.http.world import World, problem_of
from tests.upload.tus.exchange import (
    DATA,
    ask,
    create,
    created,
    cut,
    cut_off,
    files,
    offset_of,
    patch,
    video_of,
)


def test_an_upload_runs_out_after_an_hour(api: World, client: TestClient) -> None:
    location = created(api)
    patch(client, location, DATA[:700])
    api.clock.move(timedelta(minutes=60))

    problem_of(patch(client, location, DATA[700:], 700), 410, "gone")
    problem_of(ask(client, "DELETE", location), 410, "gone")
    assert ask(client, "HEAD", location).status_code == 410
    assert "Upload-Offset" not in ask(client, "HEAD", location).headers


def test_each_patch_gives_another_hour(api: World, client: TestClient) -> None:
    location = created(api)

    for part in range(5):
        api.clock.move(timedelta(minutes=59))
        result = patch(client, location, b"x", part)
        assert result.status_code == 204
        expires = parsedate_to_datetime(result.headers["Upload-Expires"])
        assert expires == _whole(api.clock.now() + timedelta(hours=1))
    video_id = video_of(api, location).id
    assert api.get(f"/v1/videos/{video_id}").status_code == 200


def _whole(moment: datetime) -> datetime:
    return moment.replace(microsecond=0)


def test_upload_expires_is_an_http_date(api: World, client: TestClient) -> None:
    api.clock.moment = datetime(2026, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC)
    begun = create(api)

    again = ask(client, "HEAD", begun.headers["Location"])

    expected = "Fri, 02 Jan 2026 04:04:05 GMT"
    assert begun.headers["Upload-Expires"] == expected
    assert again.headers["Upload-Expires"] == expected


def test_an_upload_takes_a_day_at_most(api: World, client: TestClient) -> None:
    location = created(api)

    for part in range(24):
        assert patch(client, location, b"x", part).status_code == 204
        api.clock.move(timedelta(minutes=59))
    assert patch(client, location, b"x", 24).status_code == 204
    api.clock.move(timedelta(minutes=24))

    problem_of(patch(client, location, b"x", 25), 410, "gone")


def test_a_cut_off_patch_gives_another_hour_as_well(
    api: World, client: TestClient
) -> None:
    location = created(api)
    api.clock.move(timedelta(minutes=50))

    def late() -> None:
        api.clock.move(timedelta(minutes=50))
        cut()

    cut_off(client, location, DATA[:700], then=late)

    api.clock.move(timedelta(minutes=55))
    assert offset_of(client, location) == 700


def test_a_long_patch_keeps_its_upload_alive(
    api: World, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunk_writer, "PROLONG_EVERY_S", -1.0)
    monkeypatch.setattr(bodies, "BLOCK_BYTES", 1000)
    location = created(api)

    class Slow(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            api.clock.move(timedelta(minutes=40))
            return super().read(size)

    extras = {"CONTENT_LENGTH": "3000", "wsgi.input": Slow(DATA)}
    result = patch(client, location, b"", extras=extras)

    assert (result.status_code, result.headers["Upload-Offset"]) == (204, "3000")


def test_the_sweep_ends_what_ran_out(api: World, client: TestClient) -> None:
    location = created(api)
    patch(client, location, DATA[:700])
    assert api.services.resumable.tidy() == 0
    assert api.services.uploads.clean_incoming() == 0
    api.clock.move(timedelta(hours=8))

    assert api.services.resumable.tidy() == 1
    api.services.uploads.expire()

    assert files(api) == []
    assert video_of(api, location).state is VideoState.DELETED
    problem_of(patch(client, location, b"x", 700), 410, "gone")


def test_an_old_file_of_a_live_upload_stays(api: World, client: TestClient) -> None:
    location = created(api)
    patch(client, location, DATA[:700])
    for file in files(api):
        os.utime(file, (0, 0))

    api.services.uploads.clean_incoming()
    make_app(api.services)

    assert offset_of(client, location) == 700


def test_an_upload_that_is_being_sent_is_not_tidied(
    api: World, client: TestClient
) -> None:
    location = created(api)
    tidied: list[int] = []

    def late() -> None:
        api.clock.move(timedelta(hours=2))
        tidied.append(api.services.resumable.tidy())

    cut_off(client, location, DATA[:700], then=late)

    assert tidied == [0]
    assert api.services.resumable.tidy() == 1


def test_tidying_survives_a_folder_that_is_gone(api: World) -> None:
    folder = api.services.uploads.incoming_dir()
    folder.rmdir()
    folder.symlink_to(folder.parent / "away")

    assert api.services.resumable.tidy() == 0
