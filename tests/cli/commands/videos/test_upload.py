"""
``hv upload``, which sends with hvcore_client, goes on where a connection broke.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from wsgiref.simple_server import WSGIRequestHandler, make_server

import httpx
import pytest

from hvcore_client import ApiError, HvClient, UnreachableError
from hvcore_client.uploads import WAITS_S
from hvcore_upload.app import make_app
from tests.support.http.world import World
from tests.upload.tus.exchange import DATA, created, grant_of

App = Callable[[dict[str, Any], Any], Iterable[bytes]]


class Silent(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served(app: App) -> Iterator[str]:
    with make_server("127.0.0.1", 0, app, handler_class=Silent) as server:  # type: ignore[arg-type]  # of environ
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


class Short:
    """
    A body that ends after some bytes.
    """

    def __init__(self, stream: Any, most: int) -> None:  # noqa: ANN401 - WSGI's own
        self._stream, self._left = stream, most

    def read(self, size: int) -> bytes:
        data: bytes = self._stream.read(min(size, self._left))
        self._left -= len(data)
        return data


def breaking(app: App, *, every: int) -> tuple[App, list[str]]:
    """
    Return an app of which no request gets more than some bytes through.
    """
    methods: list[str] = []

    def answer(environ: dict[str, Any], start: Any) -> Iterable[bytes]:  # noqa: ANN401
        methods.append(environ["REQUEST_METHOD"])
        environ["wsgi.input"] = Short(environ["wsgi.input"], every)
        return app(environ, start)

    return answer, methods


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "clip.mp4"
    path.write_bytes(DATA)
    return path


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def client(waits: list[float]) -> Iterator[HvClient]:
    """A client that only writes down how long it would wait."""
    with HvClient("http://127.0.0.1:9", http=httpx.Client(trust_env=False)) as made:
        made._sleep = waits.append
        yield made


def at(base: str, location: str) -> str:
    parts = urlsplit(location)
    return f"{base}{parts.path}?{parts.query}"


def test_an_upload_that_breaks_off_again_and_again_comes_whole(
    api: World, file: Path, client: HvClient, waits: list[float]
) -> None:
    app, methods = breaking(make_app(api.services), every=len(DATA) // 15)
    location = created(api)
    told: list[int] = []

    with served(app) as base:
        client.resume_upload(
            at(base, location), file, on_progress=lambda sent, _: told.append(sent)
        )

    assert methods.count("PATCH") > len(WAITS_S) + 1
    assert list(api.storage.files.values()) == [DATA]
    # What arrives begins the waits anew.
    assert max(waits) == WAITS_S[0]
    assert told[-1] == len(DATA)


def test_an_upload_that_was_ended_is_not_tried_again(
    api: World, file: Path, client: HvClient, waits: list[float]
) -> None:
    location = created(api)
    api.services.resumable.cancel(grant_of(api, location).id)

    with served(make_app(api.services)) as base, pytest.raises(ApiError, match="410"):
        client.resume_upload(at(base, location), file)

    assert waits == []


def test_nobody_is_asked_for_ever(
    api: World, file: Path, client: HvClient, waits: list[float]
) -> None:
    def busy(environ: dict[str, Any], start: Any) -> Iterable[bytes]:  # noqa: ANN401
        if environ["REQUEST_METHOD"] == "HEAD":
            return app(environ, start)
        start("503 Service Unavailable", [("Retry-After", "7")])
        return [b""]

    app = make_app(api.services)
    location = created(api)

    with served(busy) as base, pytest.raises(ApiError, match="503"):
        client.resume_upload(at(base, location), file)

    assert waits == [7.0] * len(WAITS_S)


def test_an_address_that_nobody_serves_is_told_apart(
    api: World, file: Path, client: HvClient, waits: list[float]
) -> None:
    gone = at("http://127.0.0.1:9", created(api))

    with pytest.raises(UnreachableError, match="Connection refused"):
        client.get_upload_offset(gone)

    assert waits == []
    with pytest.raises(UnreachableError, match="Connection refused"):
        client.resume_upload(gone, file)
    assert waits == list(WAITS_S)


def test_another_file_is_not_sent(
    api: World, file: Path, client: HvClient, tmp_path: Path
) -> None:
    other = tmp_path / "other.mp4"
    other.write_bytes(DATA + b"more")

    with (
        served(make_app(api.services)) as base,
        pytest.raises(ValueError, match="created for"),
    ):
        client.resume_upload(at(base, created(api)), other)

    assert list(api.storage.files.values()) == []
