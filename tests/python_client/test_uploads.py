"""
Files come whole, by both clients, in one process or in several.
"""

import asyncio
import io
import logging
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from hv_client import HvClient, NotFoundError, UnreachableError
from tests.http.uploads.tus.test_by_hv import breaking
from tests.python_client.conftest import Service, async_client

DATA = b"not really a video, " * 60_000


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "Köln.mov"
    path.write_bytes(DATA)
    return path


def stored(service: Service) -> list[bytes]:
    return list(service.world.storage.files.values())


def test_a_file_is_uploaded_with_its_settings(
    service: Service, client: HvClient, file: Path
) -> None:
    told: list[tuple[int, int]] = []

    upload = client.upload(
        file,
        name="Köln, im Mai",
        video_quality="high",
        allow_public_access=True,
        metadata={"order": "4711"},
        tags=["spring", "city"],
        max_edge_length=720,
        on_progress=lambda sent, size: told.append((sent, size)),
    )

    assert DATA in stored(service)
    video = client.get_video(upload.video_id)
    assert (video.name, video.video_quality, video.max_edge_length) == (
        *("Köln, im Mai", "high", 720),
    )
    assert (video.metadata, video.tags) == ({"order": "4711"}, ["spring", "city"])
    assert video.allow_public_access
    assert told[0] == (0, len(DATA))
    assert told[-1] == (len(DATA), len(DATA))
    assert told == sorted(told)
    assert len(told) > 3


def test_an_open_file_is_uploaded(service: Service, client: HvClient) -> None:
    content = DATA + b"open"

    upload = client.upload(io.BytesIO(content), file_name="clip.webm")

    assert content in stored(service)
    assert client.get_video(upload.video_id).name == "clip"


def test_what_cannot_seek_or_is_no_setting_is_refused(client: HvClient) -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    with pytest.raises(ValueError, match="seek"):
        client.upload(Pipe(DATA))
    with pytest.raises(TypeError, match="colour"):
        client.upload(io.BytesIO(DATA), colour="red")  # type: ignore[call-arg]
    with pytest.raises(OSError, match="nowhere"):
        client.upload("nowhere.mp4")


def test_another_client_goes_on_with_an_address_that_was_kept(
    service: Service, client: HvClient, file: Path
) -> None:
    whole = service.upload_app
    file.write_bytes(content := DATA + b"kept")
    begun = client.begin_upload(file)

    def one_piece(environ: dict[str, Any], start: Any) -> Iterable[bytes]:  # noqa: ANN401 - WSGI's own
        service.upload_app = gone
        app, _ = breaking(whole, every=300_000)
        return app(environ, start)

    def gone(_environ: dict[str, Any], start: Any) -> Iterable[bytes]:  # noqa: ANN401 - WSGI's own
        start("404 Not Found", [])
        return [b""]

    service.upload_app = whole
    assert client.get_upload_offset(begun.upload_url) == 0
    calls = iter([whole, one_piece])

    def first_a_piece(environ: dict[str, Any], start: Any) -> Iterable[bytes]:  # noqa: ANN401 - WSGI's own
        return next(calls)(environ, start)

    service.upload_app = first_a_piece
    with pytest.raises(NotFoundError):
        client.resume_upload(begun.upload_url, file)
    service.upload_app = whole
    assert client.get_upload_offset(begun.upload_url) == 300_000

    client.resume_upload(begun.upload_url, file)

    assert content in stored(service)
    # Once all has come, nothing is sent and nothing is wrong.
    client.resume_upload(begun.upload_url, file)


def test_a_put_begins_anew_where_it_broke(
    service: Service, client: HvClient, file: Path, waits: list[float]
) -> None:
    whole, times = service.upload_app, iter([True, False])
    file.write_bytes(content := DATA + b"put")

    def failing(environ: dict[str, Any], start: Any) -> Iterable[bytes]:  # noqa: ANN401 - WSGI's own
        if next(times, False):
            start("503 Service Unavailable", [("Retry-After", "4")])
            return [b""]
        return whole(environ, start)

    service.upload_app = failing
    try:
        grant = client.upload_by_put(file, name="Put")
    finally:
        service.upload_app = whole

    assert content in stored(service)
    assert waits == [4.0]
    assert client.get_video(grant.video_id).name == "Put"


def test_the_event_loop_uploads_as_well(service: Service, file: Path) -> None:
    told: list[int] = []
    contents = [DATA + bytes([number]) for number in range(3)]

    async def call() -> None:
        async with async_client(service) as client:
            uploads = [
                client.upload(
                    io.BytesIO(content),
                    file_name="clip.mp4",
                    on_progress=lambda sent, _: told.append(sent),
                )
                for content in contents
            ]
            await asyncio.gather(*uploads)
            await client._http.aclose()

    asyncio.run(call())

    assert set(contents) <= set(stored(service))
    assert max(told) == len(DATA) + 1


def test_no_log_has_an_address_that_opens_something(
    service: Service, client: HvClient, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        upload = client.upload(file)
        grant = client.upload_by_put(file)
        with pytest.raises(UnreachableError) as failed:
            client.get_upload_offset(
                upload.upload_url.replace(service.url, "http://127.0.0.1:9")
            )

    secrets = [url.partition("?")[2] for url in (upload.upload_url, grant.signed_url)]
    assert all(len(secret) > 30 for secret in secrets)
    assert "HTTP Request: PATCH" in caplog.text
    for text in (caplog.text, str(failed.value), repr(upload), repr(grant)):
        assert not any(secret in text for secret in secrets)
        assert service.key not in text
