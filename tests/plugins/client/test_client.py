"""
How a client is made, and what it makes of answers that are none of the API.
"""

import asyncio
import socket

import httpx
import pytest

from hvcore_client import (
    ApiError,
    AsyncHvClient,
    ForbiddenError,
    HvClient,
    UnexpectedAnswerError,
    UnreachableError,
)
from hvcore_client.options import options_of
from tests.plugins.client.misbehaving import Told, answering

URL = "https://api.test"
XML = b"""<?xml version="1.0"?><Error><Code>SignatureDoesNotMatch</Code>
<Message>The signature does not match.</Message><SignatureProvided>SECRET</SignatureProvided></Error>"""


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HV_API_URL", "HV_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def test_address_and_key_may_come_from_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HV_API_URL", f"{URL}/")
    monkeypatch.setenv("HV_API_KEY", "hv_test_of_the_environment\n")

    with HvClient() as client, HvClient("http://other", "mine") as other:
        assert repr(client) == f"HvClient('{URL}')"
        assert client._options.api_key == "hv_test_of_the_environment"
        assert (other._options.api_url, other._options.api_key) == (
            *("http://other", "mine"),
        )


@pytest.mark.parametrize("url", [None, "", "api.test", "ftp://api.test", "https://"])
def test_an_address_that_is_none_is_refused(url: str | None) -> None:
    with pytest.raises(ValueError, match="HV_API_URL"):
        HvClient(url, "key")


@pytest.mark.parametrize("key", ["SECRET\nX-Other: 1", "SECRET ä", "S" * 5000])
def test_a_key_that_is_none_is_refused_without_being_shown(key: str) -> None:
    with pytest.raises(ValueError, match="API key") as refused:
        HvClient(URL, key)

    assert "SECRET" not in str(refused.value)
    assert "SSS" not in str(refused.value)


def test_without_a_key_some_calls_are_possible() -> None:
    told = Told(body={"body": {"status": "ok"}})
    with answering([told]) as server, httpx.Client(trust_env=False) as http:
        client = HvClient(server.url, http=http)

        assert client.get_liveness().status == "ok"
        with pytest.raises(ValueError, match="HV_API_KEY"):
            client.list_videos()

    assert len(server.seen) == 1
    assert "x-api-key" not in server.seen[0].headers


@pytest.mark.parametrize("video_id", ["", ".", ".."])
def test_what_would_be_another_address_is_refused(video_id: str) -> None:
    with HvClient("http://127.0.0.1:9", "key") as client:
        with pytest.raises(ValueError, match="video_id"):
            client.delete_video(video_id)
        with pytest.raises(ValueError, match="not both"):
            client.set_thumbnail("vid_1", timestamp_seconds=1.5, content=b"picture")


def test_a_client_is_tried_at_least_once() -> None:
    with pytest.raises(ValueError, match="max_tries"):
        options_of(URL, None, max_tries=0, environ={})


@pytest.mark.parametrize(
    "told",
    [
        Told(body=b"", headers={"Content-Type": "text/html"}),
        Told(body=b"a,b", headers={"Content-Type": "text/csv"}),
        Told(status=204, body=b"", headers={"Content-Type": "text/plain"}),
        Told(body=b""),
        Told(body=b"[" * 100_000),
        Told(body=b"{"),
        Told(body={"videos": []}),
        Told(body={"body": {"videos": 1, "pagination": None}}),
        Told(body=[]),
    ],
)
def test_an_answer_of_somebody_else_is_told(told: Told) -> None:
    with answering([told]) as server, httpx.Client(trust_env=False) as http:
        client = HvClient(server.url, "key", http=http)

        with pytest.raises(UnexpectedAnswerError, match="/v1/videos: this is not"):
            client.list_videos()


@pytest.mark.parametrize("status", [200, 201, 206])
def test_a_page_for_browsers_is_no_answer(status: int) -> None:
    page = b"<html>Sign in to the network</html>"
    told = Told(status=status, body=page, headers={"Content-Type": "text/html"})
    with answering([told]) as server, httpx.Client(trust_env=False) as http:
        client = HvClient(server.url, "key", http=http)

        for act in (client.list_videos, client.get_resumable_upload_options):
            with pytest.raises(UnexpectedAnswerError, match="a page for browsers"):
                act()


def test_a_success_is_not_taken_for_one_that_has_no_content() -> None:
    told = Told(body=b"OK", headers={"Content-Type": "text/plain"})
    with answering([told]) as server, httpx.Client(trust_env=False) as http:
        client = HvClient(server.url, "key", http=http)

        with pytest.raises(UnexpectedAnswerError, match="not an answer of the API"):
            client.get_resumable_upload_options()


def test_a_refusal_of_a_store_is_told_without_its_secrets() -> None:
    told = Told(status=403, body=XML, headers={"Content-Type": "application/xml"})
    with answering([told]) as server, httpx.Client(trust_env=False) as http:
        client = HvClient(server.url, "key", http=http)

        with pytest.raises(ForbiddenError, match="403 Forbidden") as refused:
            client.get_upload_offset(f"{server.url}/bucket/key?X-Amz-Signature=SECRET")

    # An answer to HEAD says nothing.
    assert str(refused.value) == f"HEAD {server.url}/bucket/key: 403 Forbidden"


def test_a_message_of_a_store_is_shown(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    file = tmp_path_factory.mktemp("put") / "a.mp4"
    file.write_bytes(b"video")
    told = Told(status=403, body=XML, headers={"Content-Type": "application/xml"})
    with answering([told]) as server, httpx.Client(trust_env=False) as http:
        client = HvClient(server.url, "key", http=http)

        with pytest.raises(ApiError, match="The signature does not match") as refused:
            client.put_file(f"{server.url}/bucket/key?X-Amz-Signature=SECRET", file)

    assert "SECRET" not in str(refused.value)
    assert server.seen[0].body == b"video"
    assert server.seen[0].headers["content-type"] == "video/mp4"


def test_silence_ends() -> None:

    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with httpx.Client(trust_env=False) as http:
            client = HvClient(url, "key", timeout_s=0.1, max_tries=1, http=http)

            with pytest.raises(UnreachableError, match="timed out") as failed:
                client.get_liveness()

    assert failed.value.was_sent


def test_a_client_of_ones_own_stays_open_and_another_is_closed() -> None:
    with httpx.Client() as mine:
        with HvClient(URL, http=mine):
            pass
        assert not mine.is_closed
    with HvClient(URL) as client:
        pass
    assert client._http.is_closed

    async def use() -> None:
        async with AsyncHvClient(URL) as other:
            pass
        assert other._http.is_closed

    asyncio.run(use())
