"""
Files come whole, by both clients, in one process or in several.
"""

import asyncio
import io
import json
import logging
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import httpx
import pytest

from hvcore_client import (
    HvClient,
    NotFoundError,
    ServiceError,
    UnexpectedAnswerError,
    UnreachableError,
)
from tests.cli.commands.videos.test_upload import breaking
from tests.plugins.client.conftest import Service, async_client
from tests.plugins.client.misbehaving import Told, answering, refusal

BUSY = refusal(503, "unavailable")
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
    with pytest.raises(NotFoundError, match="404 Not Found"):
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


def test_a_server_creates_an_upload_for_a_file_that_a_page_has(
    service: Service, client: HvClient, file: Path
) -> None:
    file.write_bytes(content := DATA + b"page")

    async def call(size_bytes: int) -> str:
        async with async_client(service) as own:
            made = await own.create_upload(
                size_bytes, file_name="Köln.mov", name="Köln"
            )
            await own._http.aclose()
            return made.upload_url

    for address in (
        client.create_upload(len(content)).upload_url,
        asyncio.run(call(len(content))),
    ):
        client.resume_upload(address, file)

    assert stored(service).count(content) == 2
    assert {video.name for video in client.iterate_videos()} >= {"video", "Köln"}


def test_an_upload_that_was_cancelled_goes_on(service: Service, file: Path) -> None:
    file.write_bytes(content := DATA + b"loop")

    async def call() -> int:
        async with async_client(service) as client:
            begun = await client.begin_upload(file)
            task = asyncio.create_task(
                client.resume_upload(
                    begun.upload_url,
                    file,
                    on_progress=lambda sent, _: task.cancel() if sent else None,
                )
            )
            with pytest.raises(asyncio.CancelledError):
                await task
            await client.resume_upload(begun.upload_url, file)
            arrived = await client.get_upload_offset(begun.upload_url)
            await client.upload_by_put(file, name="Loop")
            grant = await client.create_upload_url(file_name="Loop.mov")
            await client.put_file(grant.signed_url, file)
            await client._http.aclose()
            return arrived

    assert asyncio.run(call()) == len(content)
    assert stored(service).count(content) == 3


@pytest.mark.parametrize("completed", [Told(body={"body": {"videoID": "v"}}), BUSY])
def test_the_service_is_told_of_what_went_to_the_store(
    file: Path, completed: Told
) -> None:
    with answering([Told()]) as server, httpx.Client(trust_env=False) as http:
        grant = {
            "signedURL": f"{server.url}/bucket/a?X-Amz-Signature=x",
            "bucketPath": "a",
            "expiresAt": 1,
            "assetId": "vid_1",
            "videoID": "vid_1",
            "direct": True,
        }
        server.answers[:] = [Told(body={"body": grant}), Told(), completed]
        client = HvClient(server.url, "key", max_tries=1, http=http)

        # It would notice by itself.
        assert client.upload_by_put(file).video_id == "vid_1"

    asked, put, told = server.seen
    assert json.loads(asked.body) == {
        "fileName": "Köln.mov",
        "contentType": "video/quicktime",
        "fileSize": len(DATA),
    }
    assert (put.method, put.body, put.headers["content-type"]) == (
        *("PUT", DATA, "video/quicktime"),
    )
    assert "x-api-key" not in put.headers
    assert told.target == "/v1/videos/vid_1/upload-complete"


@pytest.mark.parametrize(
    "told",
    [
        *(Told(headers={"Upload-Offset": "0"}), Told(headers={"Upload-Length": "5"})),
        *(
            Told(headers={"Upload-Length": "5", "Upload-Offset": number})
            for number in ("", "-1", "0x2", "9" * 5000)
        ),
    ],
)
def test_an_address_of_something_else_is_told(told: Told) -> None:
    with answering([told]) as server, httpx.Client(trust_env=False) as http:
        client = HvClient(server.url, "key", http=http)

        with pytest.raises(UnexpectedAnswerError, match="no address of a resumable"):
            client.get_upload_offset(f"{server.url}/other")


def arrived(offset: int, status: int = 200) -> Told:
    known = {"Upload-Offset": str(offset), "Upload-Length": str(len(DATA))}
    return Told(status=status, body=b"", headers=known)


@pytest.mark.parametrize(
    "answers",
    [
        [arrived(len(DATA) + 1)],
        [arrived(0), arrived(len(DATA) + 1, 204)],
        [arrived(5), arrived(4, 204)],
    ],
)
def test_an_offset_that_cannot_be_is_not_believed(
    answers: list[Told], file: Path
) -> None:
    told: list[int] = []
    with answering(answers) as server, httpx.Client(trust_env=False) as http:
        client = HvClient(server.url, "key", http=http)

        with pytest.raises(UnexpectedAnswerError, match="which cannot be"):
            client.resume_upload(
                f"{server.url}/uploads/x",
                file,
                on_progress=lambda at, _: told.append(at),
            )

    assert max(told, default=0) <= len(DATA)


def test_a_service_that_takes_nothing_is_waited_for(
    file: Path, waits: list[float]
) -> None:
    whole = len(DATA)
    answers = [arrived(0), arrived(0, 204), arrived(0), arrived(whole, 204)]
    with answering(answers) as server, httpx.Client(trust_env=False) as http:
        client = HvClient(server.url, "key", http=http)
        client._sleep = waits.append
        client.resume_upload(f"{server.url}/uploads/x", file)

    assert [seen.method for seen in server.seen] == ["HEAD", "PATCH", "HEAD", "PATCH"]
    assert waits == [0.5]


PAGE = Told(body=b"<html>Sign in</html>", headers={"Content-Type": "Text/HTML; a=b"})


def test_a_page_in_the_place_of_an_upload_is_no_success(file: Path) -> None:
    with answering([PAGE]) as server, httpx.Client(trust_env=False) as http:
        client = HvClient(server.url, "key", http=http)

        with pytest.raises(UnexpectedAnswerError, match="a page for browsers"):
            client.put_file(f"{server.url}/a?secret", file)


def test_an_empty_success_of_a_store_is_one(file: Path) -> None:
    """
    Google's says that nothing is HTML.
    """
    empty = Told(body=b"", headers={"Content-Type": "text/html; charset=UTF-8"})
    with answering([empty]) as server, httpx.Client(trust_env=False) as http:
        HvClient(server.url, "key", http=http).put_file(f"{server.url}/a", file)


def test_a_service_that_is_away_for_long_is_not_waited_for(file: Path) -> None:
    away = refusal(503, "unavailable", Retry_After="3600")
    with answering([away]) as server, httpx.Client(trust_env=False) as http:
        client = HvClient(server.url, "key", http=http)

        with pytest.raises(ServiceError) as refused:
            client.resume_upload(f"{server.url}/uploads/x", file)

    assert refused.value.retry_after_s == 3600
    assert len(server.seen) == 1


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
