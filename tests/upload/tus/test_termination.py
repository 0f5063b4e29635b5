"""
An upload can be ended before its time.
"""

from falcon.testing import TestClient

from hvcore.domain.uploads.grants import GrantState
from hvcore.domain.videos.states import VideoState
from tests.support.http.world import World, body_of, problem_of
from tests.upload.tus.exchange import (
    DATA,
    Stream,
    ask,
    created,
    files,
    grant_of,
    patch,
    stored,
    video_of,
)


def test_an_upload_can_be_ended(api: World, client: TestClient) -> None:
    location = created(api)
    patch(client, location, DATA[:700])

    result = ask(client, "DELETE", location)

    assert result.status_code == 204
    assert result.headers["Tus-Resumable"] == "1.0.0"
    assert files(api) == []
    video = video_of(api, location)
    assert video.state is VideoState.DELETED
    assert grant_of(api, location).state is GrantState.ENDED
    problem_of(api.get(f"/v1/videos/{video.id}"), 404, "video_not_found")
    assert ask(client, "HEAD", location).status_code == 410
    problem_of(ask(client, "DELETE", location), 410, "gone")
    problem_of(patch(client, location, b"x", 700), 410, "gone")
    assert files(api) == []


def test_a_complete_upload_cannot_be_ended(api: World, client: TestClient) -> None:
    location = created(api)
    patch(client, location, DATA)

    problem_of(ask(client, "DELETE", location), 409, "processing_in_progress")

    assert video_of(api, location).state is VideoState.TRANSCODING


def test_deleting_the_video_ends_its_upload(api: World, client: TestClient) -> None:
    location = created(api)
    patch(client, location, DATA[:700])
    body_of(api.delete(f"/v1/videos/{video_of(api, location).id}"))

    problem_of(patch(client, location, DATA[700:], 700), 410, "gone")

    assert api.services.resumable.tidy() == 1
    assert files(api) == []


def test_deleting_the_video_meanwhile_keeps_nothing(
    api: World, client: TestClient
) -> None:
    location = created(api, len(DATA))
    video_id = video_of(api, location).id
    extras = {
        "CONTENT_LENGTH": "",
        "wsgi.input_terminated": True,
        "wsgi.input": Stream(DATA, lambda: api.delete(f"/v1/videos/{video_id}")),
    }

    problem_of(patch(client, location, b"", extras=extras), 410, "gone")

    assert stored(api) == []
    assert files(api) == []
