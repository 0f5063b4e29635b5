"""
Every process is restarted in turn, again and again, while clients send all they send.

On PostgreSQL, with two API and two delivery processes behind clients that follow
readiness, as a load balancer does; the schema grows and workers are drained meanwhile.
"""

import http.client
import json
import os
import re
import select
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import attrs
import pytest

from hvcore.persistence.engine import make_engine
from hvcore.persistence.migrate import migrate
from tests.e2e.clips import make_clip
from tests.e2e.processes.test_alone import alone, lives
from tests.e2e.processes.test_rolling_restart import Balancer
from tests.persistence.next_version import FOLLOWING, next_migrations
from tests.support.hv_processes import HV
from tests.support.live import free_ports, until
from tests.support.servers import PostgresqlServer, redis_server

pytestmark = [pytest.mark.services, pytest.mark.long]

REQUESTS: Final = int(os.environ.get("HV_ROLLING_REQUESTS", "100000"))
CLIENTS: Final = 4
UPLOAD_EVERY: Final = 20
"""Turns of a client; the others read."""
FILE: Final = b"\0" * 4_000


class RefusedError(Exception):
    """
    An answer that is no success.
    """


@attrs.define
class Fleet:
    """
    The processes, and where requests go.

    Attributes:
        asked: Requests by kind, of all clients.
    """

    environ: dict[str, str]
    api: Balancer
    delivery: Balancer
    stack: ExitStack
    key: str = ""
    asked: Counter[str] = attrs.field(factory=Counter)
    _running: dict[int, subprocess.Popen[bytes]] = attrs.field(factory=dict, init=False)

    @property
    def servers(self) -> list[tuple[Balancer, int]]:
        """
        All servers, with who sends them requests.
        """
        return [(one, port) for one in (self.api, self.delivery) for port in one.ports]

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        """
        Start a process.
        """
        return self.stack.enter_context(alone(self.environ, *words))

    def start_workers(self) -> list[subprocess.Popen[bytes]]:
        """
        Start one for light work and two that encode.
        """
        lanes = ("light", "encode", "encode")
        return [self.start("worker", "--lane", lane) for lane in lanes]

    def serve(self, balancer: Balancer, port: int) -> None:
        """
        Start a server.
        """
        name = "api" if balancer is self.api else "delivery"
        self._running[port] = self.start(name, "--port", str(port))

    def restart(self, balancer: Balancer, port: int) -> None:
        """
        End a server, start it again, and wait until it has requests.
        """
        self._running[port].terminate()
        assert self._running[port].wait(timeout=30) == 0
        self.serve(balancer, port)
        until(partial(balancer.knows, port), within_s=60)

    def hv(self, *words: str) -> str:
        """
        Run a command; return what it prints.
        """
        done = subprocess.run(
            [*HV, *words],
            env=self.environ,
            check=True,
            timeout=120,
            capture_output=True,
        )
        return done.stdout.decode()


@attrs.define
class Client:
    """
    Sends each request once, on connections that are kept.
    """

    fleet: Fleet
    _kept: dict[int, http.client.HTTPConnection] = attrs.field(factory=dict, init=False)
    _turn: int = attrs.field(default=0, init=False)

    def send(
        self,
        kind: str,
        balancer: Balancer,
        method: str,
        path: str,
        body: bytes | None = None,
        **headers: str,
    ) -> Any:  # noqa: ANN401 - JSON data
        """
        Return the body of the answer.

        Raises:
            RefusedError: It is no success, or there is none.
        """
        ready = until(lambda: balancer.ready, within_s=60)
        self._turn += 1
        port = ready[self._turn % len(ready)]
        connection = self._kept.setdefault(
            port, http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        )
        if connection.sock and select.select([connection.sock], [], [], 0)[0]:
            # As balancers do: its server has ended meanwhile.
            connection.close()
        sent = {"X-Api-Key": self.fleet.key} if balancer is self.fleet.api else {}
        try:
            connection.request(method, path, body, {**sent, **headers})
            answer = connection.getresponse()
            data = answer.read()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise RefusedError(f"{kind}: {error!r}") from error
        self.fleet.asked[kind] += 1
        if not 200 <= answer.status < 300:
            raise RefusedError(f"{kind}: {answer.status} {data[:200]!r}")
        is_json = answer.headers.get_content_subtype().endswith("json")
        return json.loads(data)["body"] if is_json and kind != "openapi" else data

    def upload(self, data: bytes) -> str:
        """
        Ask for an address and send a file there; return its ``bucketPath``.
        """
        wanted = {
            "filename": "a.mp4",
            "fileSize": len(data),
            "contentType": "video/mp4",
        }
        grant = self.send(
            "upload address",
            self.fleet.api,
            "POST",
            "/v1/api/org_x/environments/live/videos/upload-url",
            json.dumps(wanted).encode(),
            **{"Content-Type": "application/json"},
        )
        place = urlsplit(grant["signedURL"])
        self.send(
            "upload",
            self.fleet.delivery,
            "PUT",
            f"{place.path}?{place.query}",
            data,
            **{"Content-Type": "video/mp4"},
        )
        return str(grant["bucketPath"])

    def processed(self, clip: Path, speed: str) -> str:
        """
        Upload a film and have it made; return the video's id.
        """
        wanted = {
            "gcsPath": self.upload(clip.read_bytes()),
            "videoQuality": "standard",
            "compressionRatio": speed,
            "allowPublicAccess": True,
        }
        answer = self.send(
            "process",
            self.fleet.api,
            "POST",
            "/v1/api/org_x/environments/live/videos/process",
            json.dumps(wanted).encode(),
            **{"Content-Type": "application/json"},
        )
        return str(answer["videoID"])

    def is_ready(self, video_id: str) -> bool:
        """
        Return whether a video can be played.
        """
        details = self.send("details", self.fleet.api, "GET", f"/v1/videos/{video_id}")
        if details["status"]["failed"]:
            raise AssertionError(details["failureReason"])
        return bool(details["status"]["ready"])

    def go_on(self, video_id: str, number: int, over: threading.Event) -> list[str]:
        """
        Send all kinds of requests in turn; return what failed.
        """
        fleet = self.fleet
        path = f"/v1/public/org_x/live/{video_id}"
        master = self.send("playlist", fleet.delivery, "GET", f"{path}/master.m3u8")
        rungs = re.findall(r"video-(\d+p)\.m3u8", master.decode())
        segment = f"{path}/video/{rungs[0]}/0.m4s"
        reads: list[Callable[[], object]] = [
            partial(self.send, "list", fleet.api, "GET", "/v1/videos"),
            partial(self.send, "details", fleet.api, "GET", f"/v1/videos/{video_id}"),
            partial(
                self.send, "playlist", fleet.delivery, "GET", f"{path}/master.m3u8"
            ),
            partial(self.send, "segment", fleet.delivery, "GET", segment),
        ]
        failures = []
        turn = 0
        while turn < number or not over.is_set():
            turn += 1
            try:
                if turn % UPLOAD_EVERY == 0:
                    self.upload(FILE)
                else:
                    reads[turn % len(reads)]()
            except RefusedError as error:
                failures.append(str(error))
        self.close()
        return failures

    def close(self) -> None:
        """
        Close its connections.
        """
        for connection in self._kept.values():
            connection.close()


@pytest.fixture
def fleet(tmp_path: Path, postgresql: PostgresqlServer) -> Iterator[Fleet]:
    first = free_ports()
    api, delivery = [first, first + 1], [first + 2, first + 3]
    with ExitStack() as stack:
        environ = {
            **{k: v for k, v in os.environ.items() if not k.startswith("HV_")},
            "HV_DATA": str(tmp_path / "data"),
            "HV_DATABASE__URL": postgresql.new_database(),
            "HV_QUEUE__OPTIONS__URL": stack.enter_context(redis_server()).url,
            "HV_LIMITS__ENABLED": "false",
            "HV_SERVER__SHUTDOWN_DELAY_S": "2",
            "HV_PUBLIC__UPLOAD_URL": f"http://127.0.0.1:{delivery[0]}",
        }
        made = Fleet(environ, Balancer(api), Balancer(delivery), stack)
        made.hv("migrate")
        made.hv("orgs", "create", "org_x")
        made.hv("envs", "create", "org_x", "live", "--kind", "production")
        wanted = ("--org", "org_x", "--env", "live", "--type", "environment", "--json")
        made.key = json.loads(made.hv("keys", "create", *wanted))["apiKey"]
        yield made


def expand_for_next_version(url: str, folder: Path, patch: pytest.MonkeyPatch) -> None:
    """
    Bring a database to the version after this one.
    """
    next_migrations(folder)
    with patch.context() as own:
        own.setattr("hvcore.persistence.migrate.FOLDER", folder / "migrations")
        for module in ("migrate", "schema_version"):
            own.setattr(f"hvcore.persistence.{module}.NEWEST_EXPAND", FOLLOWING)
        migrate(make_engine(url))


def drain_while_encoding(
    fleet: Fleet, film: str, workers: Sequence[subprocess.Popen[bytes]]
) -> None:
    """
    Have the workers leave in the middle of a film, and start others.
    """
    encoding = ("tasks", "--state", "leased", "--video", film, "--json")
    until(lambda: "transcode.part" in fleet.hv(*encoding), within_s=120)
    fleet.hv("worker", "--drain")
    assert [one.wait(timeout=10) for one in workers] == [0, 0, 0]
    # Nobody waits for the end of a lease.
    assert json.loads(fleet.hv(*encoding))["tasks"] == []
    fleet.start_workers()


@pytest.mark.timeout(2400)
def test_a_fleet_is_restarted_and_no_request_fails(
    fleet: Fleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clip = make_clip(tmp_path / "clip.mp4", seconds=2, size="320x180")
    film = make_clip(tmp_path / "film.mp4", seconds=20, size="640x360")
    for one, port in fleet.servers:
        fleet.serve(one, port)
    workers, sweep = fleet.start_workers(), fleet.start("sweep")
    for _, port in fleet.servers:
        until(partial(lives, port), within_s=60)
    over, owner, restarts = threading.Event(), Client(fleet), 0
    # Its threads end when the stack has told them to.
    with ThreadPoolExecutor(CLIENTS + 2) as threads, ExitStack() as stack:
        for balancer in (fleet.api, fleet.delivery):
            stack.callback(balancer.over.set)
            threads.submit(balancer.look)
        stack.callback(over.set)
        short_id = owner.processed(clip, "superfast")
        until(partial(owner.is_ready, short_id), within_s=120)

        began = time.monotonic()
        asking = [
            threads.submit(Client(fleet).go_on, short_id, REQUESTS // CLIENTS, over)
            for _ in range(CLIENTS)
        ]
        url = fleet.environ["HV_DATABASE__URL"]
        expand_for_next_version(url, tmp_path, monkeypatch)
        long_id = owner.processed(film, "slower")
        drain_while_encoding(fleet, long_id, workers)
        while restarts < len(fleet.servers) or sum(fleet.asked.values()) < REQUESTS:
            fleet.restart(*fleet.servers[restarts % len(fleet.servers)])
            restarts += 1
        over.set()
        failures = [failure for one in asking for failure in one.result()]
        took_s = time.monotonic() - began
        # On new connections: those that were kept ended with their servers.
        owner.close()
        owner = stack.enter_context(closing(Client(fleet)))
        until(partial(owner.is_ready, long_id), within_s=300)
    sweep.terminate()
    assert sweep.wait(timeout=30) == 0

    sys.stdout.write(
        f"\n{sum(fleet.asked.values())} requests in {took_s:.0f} s, {restarts} restarts,"
        f" {len(failures)} failed: {dict(fleet.asked)}\n"
    )
    assert failures == []
    assert sum(fleet.asked.values()) >= REQUESTS
