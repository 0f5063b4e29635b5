"""
nginx in front of processes that are frozen, die or are silent.
"""

import http.client
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import attrs
import pytest

from hvcore.settings import EdgeSettings
from hvcore_edge.config import EdgeConfig
from tests.conftest import SettableClock
from tests.edge.edge_site import EdgeSite, WorkerBehindEdge, edge_site, settings_of
from tests.support.http.delivery_worker import PRIVATE_PATH, PUBLIC_PATH
from tests.support.live import free_ports, request
from tests.support.network.edge import running_nginx

pytestmark = pytest.mark.services

SILENT_S: Final = 0.5
SOONER: Final = {
    "_timeout 4500ms;": f"_timeout {SILENT_S * 1000:.0f}ms;",
    "_timeout 6s;": "_timeout 700ms;",
    "_timeout 60s;": "_timeout 900ms;",
}
"""The times of the configuration, and what they are here."""
CORS: Final = "Access-Control-Allow-Origin"
SEGMENT: Final = f"{PUBLIC_PATH}/video/720p/0.m4s"


@attrs.define
class Process:
    """
    A process of the service, which answers or is frozen.

    Attributes:
        heard: The first lines of what was sent to it.
    """

    listener: socket.socket
    is_frozen: bool
    heard: list[str] = attrs.field(factory=list)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.listener.getsockname()[1]}"

    def serve(self) -> None:
        held = []
        with suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                held.append(client)
                threading.Thread(target=self._answer, args=(client,)).start()
        for client in held:
            client.close()

    def _answer(self, client: socket.socket) -> None:
        with suppress(OSError):
            while head := client.recv(65_536):
                self.heard.append(head.split(b"\r\n")[0].decode())
                if not self.is_frozen:
                    client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")


@contextmanager
def process(*, is_frozen: bool) -> Iterator[Process]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        made = Process(listener, is_frozen)
        thread = threading.Thread(target=made.serve)
        thread.start()
        try:
            yield made
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


@attrs.frozen
class Fleet:
    """
    Two processes behind nginx, one of them frozen.
    """

    whole: Process
    frozen: Process
    ports: Mapping[str, int]

    def get(self, kind: str, path: str) -> tuple[int, float]:
        """
        Return the status of an answer, and how long it took.
        """
        root = f"http://127.0.0.1:{self.ports[kind]}"
        began_s = time.monotonic()
        return request("GET", root + path).status, time.monotonic() - began_s


@contextmanager
def edge_before(folder: Path, *processes: Process) -> Iterator[Mapping[str, int]]:
    """Run an edge that lists `processes` as its services; yield its ports by kind."""
    port, api_port = free_ports(), free_ports()
    services = ", ".join(one.address for one in processes)
    edge = EdgeSettings(
        listen=f"127.0.0.1:{port}",
        service=services,
        api_listen=f"127.0.0.1:{api_port}",
        api_service=services,
    )
    made = EdgeConfig(
        settings=attrs.evolve(settings_of(folder), edge=edge),
        folder=folder / "edge",
        scripts=folder / "out",
        storage=None,
    )
    config = made.write([])
    text = config.read_text()
    for usual, here in SOONER.items():
        assert usual in text
        text = text.replace(usual, here)
    config.write_text(text)
    with running_nginx(config, port=port, folder=folder / "edge"):
        yield {"delivery": port, "api": api_port}


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    with (
        process(is_frozen=False) as whole,
        process(is_frozen=True) as frozen,
        edge_before(tmp_path, frozen, whole) as ports,
    ):
        yield Fleet(whole, frozen, ports)


def test_all_requests_of_one_resumable_upload_reach_the_same_service(
    tmp_path: Path,
) -> None:
    uploads = [f"/uploads/{number}" for number in range(25)]
    with process(is_frozen=False) as one, process(is_frozen=False) as other:
        with edge_before(tmp_path, one, other) as ports:
            root = f"http://127.0.0.1:{ports['delivery']}"
            for method in ("PATCH", "HEAD", "PATCH", "DELETE"):
                for path in uploads:
                    assert request(method, root + path).status == 200

        heard = [
            {line.split()[1] for line in process.heard} for process in (one, other)
        ]
        assert all(heard)
        assert heard[0].isdisjoint(heard[1])
        assert heard[0] | heard[1] == set(uploads)


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        *(("api", path) for path in ("/v1/videos", "/v1/api/o/videos/v/details")),
        ("api", "/health"),
        *(("delivery", path) for path in ("/health/ready", "/v1/embed/vid_1")),
        ("delivery", f"{PRIVATE_PATH}/master.m3u8"),
    ],
)
def test_a_frozen_process_costs_one_wait_and_is_left_out(
    fleet: Fleet, kind: str, path: str
) -> None:
    answers = [fleet.get(kind, path) for _ in range(12)]

    assert {status for status, _ in answers} == {200}
    # Each worker of nginx keeps its connections; what it has learned, all know.
    slow = [took_s for _, took_s in answers if took_s > SILENT_S * 0.9]
    assert len(slow) <= 2, answers
    assert max(slow, default=0) < SILENT_S * 4


@pytest.mark.parametrize(
    ("kind", "method", "path"),
    [
        ("api", "POST", "/v1/videos/upload-url"),
        ("api", "GET", "/v1/analytics/usage"),
        ("delivery", "GET", "/t/vid_1/thumbnail.jpg"),
        ("delivery", "PUT", "/upload/vid_1"),
    ],
)
def test_a_request_that_waits_by_design_is_begun_once(
    fleet: Fleet, kind: str, method: str, path: str
) -> None:
    statuses: list[int] = []

    def ask() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", fleet.ports[kind])
        connection.request(method, path)
        statuses.append(connection.getresponse().status)
        connection.close()

    asking = [threading.Thread(target=ask) for _ in range(2)]
    for one in asking:
        one.start()
    for one in asking:
        one.join()

    assert len(fleet.whole.heard) + len(fleet.frozen.heard) == len(asking)
    assert sorted(statuses) == [200, 503]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[EdgeSite]:
    with edge_site(tmp_path, is_local=False) as made:
        yield made


@pytest.fixture
def worker(site: EdgeSite, clock: SettableClock) -> WorkerBehindEdge:
    return site.worker(clock, is_public=True)


def test_a_service_that_dies_in_the_middle_is_told_in_its_words(
    worker: WorkerBehindEdge,
) -> None:
    whole = worker.site.app
    fetched = []

    def dies(environ: dict[str, Any], start_response: Any) -> Any:  # noqa: ANN401 - WSGI's own
        if "/edge/authorization" in environ["PATH_INFO"]:
            return whole(environ, start_response)
        fetched.append(environ["PATH_INFO"])
        environ["wsgi.input"].raw._sock.shutdown(socket.SHUT_RDWR)
        return []

    worker.site.app = dies
    answer = worker.get(SEGMENT)

    assert fetched
    assert answer.status_code == 503
    assert answer.json["code"] == "unavailable"
    assert answer.headers[CORS] == "*"
    assert answer.headers["Retry-After"]


class SilentStore:
    """
    A service whose store is silent: it authorizes, and has no file.
    """

    def __init__(self, whole: Any) -> None:  # noqa: ANN401 - WSGI's own
        self.whole = whole
        self.fetched: list[str] = []
        self.is_asked = threading.Event()
        self.has_waited = threading.Event()
        self.has_waited.set()

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Any:  # noqa: ANN401 - WSGI's own
        if "/edge/authorization" in environ["PATH_INFO"]:
            return self.whole(environ, start_response)
        self.fetched.append(environ["PATH_INFO"])
        self.is_asked.set()
        self.has_waited.wait(60)
        start_response("503 Service Unavailable", [("Content-Length", "0")])
        return [b""]


@pytest.mark.parametrize(
    ("path", "is_public"),
    [
        (SEGMENT, True),
        (f"{PUBLIC_PATH}/master.m3u8", True),
        (f"{PRIVATE_PATH}/master.m3u8", False),
    ],
)
def test_a_silent_store_is_waited_for_once(
    site: EdgeSite, path: str, *, is_public: bool
) -> None:
    # nginx knows no other time than the true one.
    worker = site.worker(SettableClock(datetime.now(UTC)), is_public=is_public)
    site.app = store = SilentStore(site.app)

    answer = worker.get(path, "" if is_public else f"token={worker.token()}")

    assert len(store.fetched) == 1
    assert answer.status_code == 503
    assert answer.json["code"] == "unavailable"
    assert (answer.headers[CORS], answer.headers["Retry-After"]) == ("*", "5")


def test_viewers_of_one_playlist_wait_together_for_a_silent_store(
    worker: WorkerBehindEdge,
) -> None:
    playlist = f"{PUBLIC_PATH}/master.m3u8"
    worker.site.app = store = SilentStore(worker.site.app)
    store.has_waited.clear()
    answers: list[int] = []

    def ask() -> None:
        answers.append(worker.get(playlist).status_code)

    viewers = [threading.Thread(target=ask) for _ in range(2)]
    viewers[0].start()
    assert store.is_asked.wait(60)
    viewers[1].start()
    # Longer than for what is renewed, shorter than for a store.
    viewers[1].join(2.5)
    store.has_waited.set()
    for viewer in viewers:
        viewer.join()

    assert answers == [503, 503]
    assert store.fetched == [playlist]
