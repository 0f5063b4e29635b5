"""
A whole service, of which one after the other of those it depends on falls silent.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from operator import itemgetter
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import attrs
import pytest
from sqlalchemy.engine import make_url

from tests.support.live import Answer, LiveService, live_service, request, until
from tests.support.network.silent_line import Address, SilentLine, silent_line
from tests.support.servers import PostgresqlServer, RedisServer
from tests.support.stores.object_store import SWIFT_KEY, SWIFT_SECRET, new_swift_bucket
from tests.support.stores.published import Published, new_tenant, publish, services_of

pytestmark = [pytest.mark.services, pytest.mark.long]

ANSWERS_WITHIN_S: Final = 5.0
RECOVERS_WITHIN_S: Final = 5.0
AT_ONCE: Final = 25
VIDEOS: Final = "/v1/api/org_local/environments/live/videos"
FILM: Final = {"filename": "a.mp4", "fileSize": 1000, "contentType": "video/mp4"}


@attrs.frozen(kw_only=True)
class Site:
    """
    A service, the lines to what it depends on, and films that can be watched.
    """

    service: LiveService
    lines: Mapping[str, SilentLine]
    films: list[Published]

    def note(self, silent: str, took_s: Mapping[str, tuple[int, float]]) -> None:
        """
        Write down what was measured: for docs/measured/silence.md.
        """
        lines = (
            f"{silent}: {name}: {s}, {t:.1f} s\n" for name, (s, t) in took_s.items()
        )
        with (self.service.data.parent / "silence.txt").open("a") as file:
            file.writelines(lines)

    def master(self, film: Published) -> Answer:
        """
        Ask for a film's playlist.
        """
        path = f"/v1/public/org_films/live/{film.public_id}/master.m3u8"
        return request("GET", self.service.worker + path)


@pytest.fixture(scope="module")
def site(
    postgresql: PostgresqlServer,
    _redis: RedisServer,
    swift: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Site]:
    database = make_url(postgresql.new_database())
    store = urlsplit(swift)
    servers: dict[str, Address] = {
        "postgresql": Path(str(database.query["host"]), ".s.PGSQL.5432"),
        "redis": _redis.socket_path,
        "store": (str(store.hostname), int(store.port or 0)),
    }
    with ExitStack() as stack:
        lines = {
            name: stack.enter_context(silent_line(server))
            for name, server in servers.items()
        }
        ports = {name: line.port for name, line in lines.items()}
        redis = f"redis://127.0.0.1:{ports['redis']}/0"
        settings = {
            "HV_DATABASE__URL": (
                f"postgresql://postgres@127.0.0.1:{ports['postgresql']}"
                f"/{database.database}"
            ),
            "HV_QUEUE__BACKEND": "rq",
            "HV_QUEUE__OPTIONS__URL": redis,
            "HV_LIMITS__OPTIONS__URL": redis,
            "HV_STORAGE__OPTIONS__URL": f"s3://{new_swift_bucket(swift)}/here",
            "HV_STORAGE__OPTIONS__ENDPOINT_URL": f"http://127.0.0.1:{ports['store']}",
            "HV_STORAGE__OPTIONS__KEY": SWIFT_KEY,
            "HV_STORAGE__OPTIONS__SECRET": SWIFT_SECRET,
        }
        folder = tmp_path_factory.mktemp("silence")
        service = stack.enter_context(live_service(folder, **settings))
        with services_of(service.environ) as services:
            env = new_tenant(services)
            films = [
                publish(services, env, {720: [b"segment"]}, is_public=True)
                for _ in range(6)
            ]
        yield Site(service=service, lines=lines, films=films)


@pytest.mark.parametrize("silent", ["postgresql", "redis", "store"])
def test_every_answer_comes_in_time_whoever_is_silent(site: Site, silent: str) -> None:
    at = ["postgresql", "redis", "store"].index(silent)
    cached, *uncached = site.films[2 * at : 2 * at + 2]
    service = site.service
    asks: dict[str, Callable[[], Answer]] = {
        "list": lambda: service.call("GET", VIDEOS),
        "upload address": lambda: service.call("POST", f"{VIDEOS}/upload-url", FILM),
        "health": lambda: request("GET", f"{service.api}/health"),
        "playlist, known": lambda: site.master(cached),
        "playlist, new": lambda: site.master(uncached[0]),
    }
    for name, ask in asks.items():
        if name != "playlist, new":
            assert ask().status == 200, name

    site.lines[silent].fall_silent()
    try:
        took_s = {name: timed(ask) for name, ask in asks.items()}
        with ThreadPoolExecutor(AT_ONCE) as clients:
            many = list(clients.map(timed, [asks["list"]] * AT_ONCE))
    finally:
        site.lines[silent].speak()
    for ask in asks.values():
        until(lambda: ask().status == 200, within_s=RECOVERS_WITHIN_S)  # noqa: B023 - called at once

    took_s["25 lists at once"] = max(many, key=itemgetter(1))
    site.note(silent, took_s)
    slowest = max(spent for _, spent in took_s.values())
    assert slowest < ANSWERS_WITHIN_S
    assert {status for status, _ in [*took_s.values(), *many]} <= {200, 503}


def timed(ask: Callable[[], Answer]) -> tuple[int, float]:
    """
    Ask, and return the status and how long it took.
    """
    began_s = time.monotonic()
    answer = ask()
    if answer.status == 503:
        told = {name.lower(): value for name, value in answer.headers.items()}
        assert "retry-after" in told or b"checks" in answer.data
    return answer.status, time.monotonic() - began_s
