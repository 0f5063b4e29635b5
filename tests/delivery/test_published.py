"""
The loop of the delivery process with PostgreSQL, which it never waits for.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import attrs
import psycopg
import pytest

from hvcore.domain.access.keys import KeyType, Permission
from hvcore.domain.access.principals import Principal
from hvcore.domain.ids import KeyId
from hvcore.domain.videos.video import VideoChanges
from hvcore.files.changes_file import CACHE_TTL_S
from tests.server.file_loop.loop_site import (
    PLAYLIST,
    SMALL,
    SMALL_FILE,
    Answer,
    Site,
    read,
    running_site,
)
from tests.server.file_loop.test_loop import (  # noqa: F401 - run with the fixtures below
    test_a_file_that_vanished_or_shrank_is_an_error,
    test_a_part_is_that_part,
    test_a_segment_that_breaks_off_before_its_half_is_not_counted,
    test_requests_sent_together_are_answered_in_their_order,
    test_the_loop_answers_what_the_app_answers,
)
from tests.support.servers import PostgresqlServer, postgresql_server

pytestmark = pytest.mark.services

AT_ONCE_S = 0.3
"""Far below what PostgreSQL makes a question wait for a lock: 10 s."""
OWNER = Principal(
    key_id=KeyId("key_test"),
    type=KeyType.SYSTEM,
    org_id=None,
    env_id=None,
    permissions=frozenset(Permission),
)


@pytest.fixture(scope="module")
def site(
    postgresql: PostgresqlServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    with running_site(folder, postgresql.new_database()) as made:
        yield made


@pytest.fixture
def own_video(site: Site) -> Site:
    made = attrs.evolve(site)
    made.publish()
    return made


@pytest.fixture
def counted(site: Site) -> Callable[[], int]:
    before = site.counted()
    return lambda: site.counted() - before


def show(site: Site, *, is_public: bool) -> None:
    """
    Change who may watch, as the API does: another process of this machine.
    """
    changes = VideoChanges(is_public=is_public)
    site.services.editing.change(OWNER, "org_a", site.video, changes)


def show_elsewhere(site: Site, *, is_public: bool) -> None:
    """
    Change it as the API of another machine does, whose files are its own.
    """
    site.change(lambda video: video.change(VideoChanges(is_public=is_public)))


def public(site: Site, file: str = SMALL_FILE) -> bytes:
    path = f"/v1/public/org_a/live/{site.video}/{file}"
    return f"GET {path} HTTP/1.1\r\nHost: hv\r\n\r\n".encode()


def ask(site: Site, head: bytes) -> Answer:
    with site.connect() as sock:
        sock.sendall(head)
        return read(sock)


@contextmanager
def busy_database(site: Site) -> Iterator[None]:
    """
    Have every question about videos wait until the block ends.
    """
    url = site.services.engine.url.set(drivername="postgresql")
    with psycopg.connect(url.render_as_string(hide_password=False)) as connection:
        connection.execute("LOCK TABLE videos IN ACCESS EXCLUSIVE MODE")
        yield
        connection.rollback()


def answered_without_a_question(site: Site, head: bytes) -> Answer | None:
    """
    Ask, and ask again while the database answers nobody.
    """
    # Several times: on a busy machine a second is over soon.
    for _ in range(5):
        assert ask(site, head).status == 200
        with busy_database(site), site.connect() as sock:
            sock.settimeout(AT_ONCE_S)
            sock.sendall(head)
            with suppress(TimeoutError):
                return read(sock)
    return None


@contextmanager
def load(site: Site, *heads: bytes) -> Iterator[list[tuple[float, int, int]]]:
    """
    Ask for each all the time; yields when each request was sent, which, and how
    it was answered.
    """
    seen: list[tuple[float, int, int]] = []
    is_over = threading.Event()

    def go_on(number: int) -> None:
        with site.connect() as sock:
            while not is_over.is_set():
                sent = time.monotonic()
                sock.sendall(heads[number])
                seen.append((sent, number, read(sock).status))

    threads = [
        threading.Thread(target=go_on, args=[number % len(heads)])
        for number in range(2 * len(heads))
    ]
    for thread in threads:
        thread.start()
    try:
        yield seen
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


def test_a_segment_is_answered_without_a_question_once_one_was_asked(
    own_video: Site,
) -> None:
    show(own_video, is_public=True)
    for head in (own_video.head(SMALL_FILE), public(own_video), public(own_video)):
        answer = answered_without_a_question(own_video, head)
        assert answer is not None
        assert (answer.status, answer.body) == (200, SMALL)
    playlist = answered_without_a_question(own_video, own_video.head(PLAYLIST))
    assert playlist is not None
    assert f"token={own_video.token}".encode() in playlist.body


def test_nobody_waits_for_what_another_one_has_to_ask(own_video: Site) -> None:
    cold = attrs.evolve(own_video)
    cold.publish()
    with own_video.connect() as sock, cold.connect() as waiting:
        sock.settimeout(AT_ONCE_S)
        waiting.settimeout(AT_ONCE_S)
        sock.sendall(own_video.head(SMALL_FILE))
        assert read(sock).status == 200
        with busy_database(own_video):
            waiting.sendall(cold.head(SMALL_FILE))
            sock.sendall(own_video.head(SMALL_FILE))
            assert read(sock).body == SMALL
            with pytest.raises(TimeoutError):
                waiting.recv(1)
        waiting.settimeout(AT_ONCE_S * 10)
        assert read(waiting).body == SMALL


@pytest.mark.cases(1)
@pytest.mark.parametrize("is_busy", [True, False])
def test_a_change_that_was_answered_is_obeyed_by_the_very_next_request(
    own_video: Site, *, is_busy: bool
) -> None:
    heads = [public(own_video), own_video.head(SMALL_FILE)] if is_busy else []
    before = own_video.counted()
    own = 0
    with load(own_video, *heads) as seen, own_video.connect() as sock:
        for number in range(100):
            show(own_video, is_public=number % 2 == 0)
            for _ in range(3):
                sock.sendall(public(own_video))
                status = read(sock).status
                assert status == (200 if number % 2 == 0 else 403)
                own += status == 200
    others = [(number, status) for _, number, status in seen]
    assert {status for number, status in others if number == 1} <= {200}
    assert {status for number, status in others if number == 0} <= {200, 403}
    # Whoever has answered: each one once.
    served = sum(status == 200 for _, status in others)
    assert own_video.counted() - before == own + served


def test_a_delete_that_was_answered_is_obeyed_by_the_very_next_request(
    own_video: Site,
) -> None:
    for _ in range(10):
        doomed = attrs.evolve(own_video)
        doomed.publish()
        head = doomed.head(SMALL_FILE)
        with load(doomed, head) as seen, doomed.connect() as sock:
            while not seen:
                sock.sendall(head)
                assert read(sock).status == 200
            doomed.services.deletion.delete(OWNER, "org_a", doomed.video, None)
            over = time.monotonic()
            sock.sendall(head)
            assert read(sock).status == 404
        assert {status for sent, _, status in seen if sent > over} <= {404}
        assert {status for *_, status in seen} <= {200, 404}


def test_a_change_on_another_machine_is_obeyed_within_a_second(
    own_video: Site,
) -> None:
    show(own_video, is_public=True)
    head = public(own_video)
    with load(own_video, head) as seen, own_video.connect() as sock:
        for _ in range(2):
            sock.sendall(head)
            assert read(sock).status == 200
        show_elsewhere(own_video, is_public=False)
        over = time.monotonic()
        while time.monotonic() < over + CACHE_TTL_S + 0.3:
            sock.sendall(head)
            read(sock)
    # By what it was when it was sent: how long this machine takes is its own.
    assert max(sent for sent, _, status in seen if status == 200) < over + CACHE_TTL_S
    assert {status for sent, _, status in seen if sent >= over + CACHE_TTL_S} == {403}


def test_a_revoked_share_link_plays_no_further_segment(own_video: Site) -> None:
    shares = own_video.services.shares
    share = shares.create(
        *(OWNER, "org_a", own_video.video),
        valid_hours=1,
        max_views=None,
        viewer_email=None,
    )
    start = f"GET /v1/share/{share.id}/master.m3u8 HTTP/1.1\r\nHost: hv\r\n\r\n"
    master = ask(own_video, start.encode()).body.decode()
    address = next(line for line in master.splitlines() if "token=" in line)
    token = parse_qs(urlsplit(address.split('"')[-2:][0]).query)["token"][0]
    path = f"/v1/share/{share.id}/{SMALL_FILE}?token={token}"
    head = f"GET {path} HTTP/1.1\r\nHost: hv\r\n\r\n".encode()

    answer = answered_without_a_question(own_video, head)
    assert answer is not None
    assert answer.body == SMALL
    with own_video.connect() as sock:
        sock.sendall(head)
        assert read(sock).status == 200
        shares.revoke(OWNER, "org_a", own_video.video, share.id)
        sock.sendall(head)
        assert read(sock).status == 403


def test_changes_are_obeyed_at_once_where_the_file_of_them_is_none(
    postgresql: PostgresqlServer, tmp_path: Path
) -> None:
    (tmp_path / "edge").write_text("no folder")
    with running_site(tmp_path, postgresql.new_database()) as site:
        for number in range(10):
            show(site, is_public=number % 2 == 0)
            for _ in range(3):
                status = 200 if number % 2 == 0 else 403
                assert ask(site, public(site)).status == status
        assert site.log().count("changes on this machine cannot be seen") == 1


def test_while_postgresql_is_stopped_what_is_kept_is_served_for_less_than_a_second(
    tmp_path: Path,
) -> None:
    with (
        postgresql_server() as server,
        running_site(tmp_path, server.new_database()) as site,
    ):
        with load(site, site.head(SMALL_FILE)) as seen:
            while not seen:
                assert site.get(SMALL_FILE).status == 200
            server.stop()
            over = time.monotonic()
            while time.monotonic() < over + CACHE_TTL_S + 0.3:
                site.get(SMALL_FILE)
        assert {status for *_, status in seen} == {200, 503}
        assert {status for sent, _, status in seen if sent >= over + CACHE_TTL_S} == {
            503
        }
        server.start()
        assert site.get(SMALL_FILE).body == SMALL
