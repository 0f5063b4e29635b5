"""
A long token in every line of a long playlist stops nobody, and fills no memory.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from statistics import median
from threading import Event, Thread

import pytest

from hvcore.domain.limits import MAX_ISSUED_TOKEN_BYTES
from tests.benchmarks.delivery.edge import running_edge
from tests.benchmarks.delivery.servers import Server, running_delivery
from tests.benchmarks.long_film import (
    PAGE,
    PLAYLIST,
    SEGMENT,
    SEGMENT_BYTES,
    SEGMENTS,
    LongFilm,
    idle_readers,
    publish_long_film,
)
from tests.support.live import until
from tests.support.network.plain_http import Connection
from tests.support.stores.published import migrate, services_of
from tests.torture.delivery_fleet import plain_environ

READERS = 60
READER_BYTES = 200_000
"""1,000 of them have 200 MB; before, one had all of the playlist: 27 MB."""
NOISE_BYTES = 20_000_000
"""What a process takes for other reasons; before, 60 of them had 1.5 GB."""
GREEDY = 4
REQUESTS = 60
USUAL_S = 0.5
"""Of half of the requests, on whatever machine; before, it was 3 s on ours."""
MB = 1_000_000


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    made = plain_environ(tmp_path / "data")
    migrate(made)
    return made


@pytest.fixture
def film(environ: dict[str, str]) -> LongFilm:
    with services_of(environ) as services:
        return publish_long_film(services)


@pytest.fixture(
    params=["bare", pytest.param("edge", marks=pytest.mark.services)],
)
def server(
    request: pytest.FixtureRequest,
    environ: dict[str, str],
    film: LongFilm,
    tmp_path: Path,
) -> Iterator[Server]:
    del film
    log = tmp_path / "delivery.log"
    if request.param == "bare":
        with running_delivery(environ, log) as made:
            yield made
        return
    with running_edge(environ, tmp_path / "out", log) as made:
        yield made


def fetched(server: Server, path: str, headers: Mapping[str, str]) -> bytearray:
    with closing(Connection(server.port)) as connection:
        connection.send("GET", path, headers)
        head = connection.head("GET")
        assert head.status == 200
        return connection.read(head.length_bytes)


@contextmanager
def greedy_readers(
    server: Server, path: str, headers: Mapping[str, str], *, count: int
) -> Iterator[list[int]]:
    """
    Have readers who take an answer again and again, as fast as they can.

    Yields: The lengths of those that they have taken, which grows.
    """
    is_over, taken = Event(), list[int]()

    def take() -> None:
        with closing(Connection(server.port)) as connection:
            while not is_over.is_set():
                connection.send("GET", path, headers)
                left = connection.head("GET").length_bytes
                taken.append(left)
                while left and not is_over.is_set():
                    left -= len(connection.read(min(left, MB)))

    with ExitStack() as stack:
        for _ in range(count):
            thread = Thread(target=take)
            thread.start()
            stack.callback(thread.join)
        stack.callback(is_over.set)
        yield taken


def test_a_token_for_32_pages_is_short(film: LongFilm) -> None:
    assert len(film.token) <= MAX_ISSUED_TOKEN_BYTES
    # Those that were issued before are good for up to a week.
    assert len(film.old_token) > 3_500


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    "kind", ["token", pytest.param("old_token", marks=pytest.mark.long)]
)
def test_a_playlist_of_twelve_hours_is_whole(
    server: Server, film: LongFilm, kind: str
) -> None:
    token = getattr(film, kind)

    text = fetched(server, film.path(PLAYLIST, token), PAGE)

    assert text.count(f"?token={token}".encode()) == SEGMENTS + 1
    assert text.endswith(b"#EXT-X-ENDLIST\n")
    assert len(fetched(server, film.path(SEGMENT, token), PAGE)) == SEGMENT_BYTES


@pytest.mark.cases(1)
def test_who_takes_nothing_of_a_long_playlist_costs_little_memory(
    server: Server, film: LongFilm
) -> None:
    path = film.path(PLAYLIST, film.old_token)
    # What is kept for everybody is there then.
    with idle_readers(server.port, path, PAGE, count=1):
        fetched(server, film.path(SEGMENT, film.token), PAGE)
        before = server.rss_bytes()

    with idle_readers(server.port, path, PAGE, count=READERS) as lengths:
        segment = fetched(server, film.path(SEGMENT, film.token), PAGE)
        grown = server.rss_bytes() - before

    assert len(segment) == SEGMENT_BYTES
    assert min(lengths) > 25 * MB
    assert grown < READERS * READER_BYTES + NOISE_BYTES


@pytest.mark.cases(1)
@pytest.mark.parametrize("coding", ["", pytest.param("gzip", marks=pytest.mark.long)])
def test_who_takes_long_playlists_again_and_again_stops_nobody(
    server: Server, film: LongFilm, coding: str
) -> None:
    segment = film.path(SEGMENT, film.token)
    # Of the tokens of before there are none that are compressed.
    playlist = film.path(PLAYLIST, film.token if coding else film.old_token)
    headers = {**PAGE, "Accept-Encoding": coding} if coding else PAGE
    fetched(server, segment, PAGE)
    fetched(server, playlist, headers)

    with greedy_readers(server, playlist, headers, count=GREEDY) as taken:
        until(lambda: len(taken) >= GREEDY, within_s=20)
        took = []
        for _ in range(REQUESTS):
            begun = time.monotonic()
            fetched(server, segment, PAGE)
            took.append(time.monotonic() - begun)

    assert median(took) < USUAL_S
