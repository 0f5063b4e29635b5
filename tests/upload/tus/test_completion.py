"""
What happens when the last byte has come.
"""

from pathlib import Path

import pytest
from falcon.testing import Result, TestClient

from hvcore.domain.videos.states import VideoState
from hvcore.errors import UnavailableError
from tests.support.http.world import World, problem_of
from tests.upload.tus.exchange import (
    DATA,
    ask,
    create,
    created,
    files,
    metadata,
    offset_of,
    patch,
    stored,
    video_of,
)


def test_a_lost_last_answer_can_be_asked_for_again(
    api: World, client: TestClient
) -> None:
    location = created(api)
    patch(client, location, DATA)

    assert offset_of(client, location) == len(DATA)
    assert patch(client, location, b"", len(DATA)).status_code == 204
    problem_of(patch(client, location, b"x", len(DATA)), 400, "invalid_file_size")
    problem_of(patch(client, location, b"x", 0), 409, "conflict")
    assert stored(api) == [DATA]
    assert files(api) == []


def test_an_upload_is_locked_while_its_store_is_silent(
    api: World, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    location = created(api)
    meanwhile: list[Result] = []

    def is_silent(*_args: object, **_named: object) -> None:
        meanwhile.append(ask(client, "HEAD", location))
        meanwhile.append(patch(client, location, b"", len(DATA)))
        raise UnavailableError("no storage today")

    with monkeypatch.context() as silent:
        silent.setattr(api.storage, "put_file", is_silent)
        last = patch(client, location, DATA)

    assert [one.status_code for one in meanwhile] == [423, 423]
    assert {one.headers.get("Retry-After") for one in meanwhile} == {"1"}
    problem_of(last, 503, "unavailable")
    assert last.headers["Retry-After"]
    assert patch(client, location, b"", len(DATA)).status_code == 204


@pytest.mark.parametrize("again", ["PATCH", "HEAD"])
def test_a_storage_that_was_away_is_tried_again(
    api: World,
    client: TestClient,
    monkeypatch: pytest.MonkeyPatch,
    again: str,
) -> None:
    location = created(api)

    def refuse(*_args: object, **_named: object) -> None:
        raise UnavailableError("no storage today")

    with monkeypatch.context() as away:
        away.setattr(api.storage, "put_file", refuse)
        problem_of(patch(client, location, DATA), 503, "unavailable")
        assert ask(client, "HEAD", location).status_code == 503
        assert video_of(api, location).state is VideoState.AWAITING_UPLOAD

    if again == "PATCH":
        assert patch(client, location, b"", len(DATA)).status_code == 204
    else:
        assert offset_of(client, location) == len(DATA)
    assert stored(api) == [DATA]
    assert files(api) == []
    assert video_of(api, location).state is VideoState.TRANSCODING


def test_the_type_of_the_file_is_that_of_its_metadata(
    api: World, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    types: list[str] = []
    put_file = api.storage.put_file

    def remember(path: str, local: Path, *, content_type: str) -> object:
        types.append(content_type)
        return put_file(path, local, content_type=content_type)

    monkeypatch.setattr(api.storage, "put_file", remember)
    for fields in ({"filetype": "video/webm"}, {}):
        sent = metadata(fileName="a", **fields)
        patch(client, create(api, sent=sent).headers["Location"], DATA)

    assert types == ["video/webm", "video/mp4"]
