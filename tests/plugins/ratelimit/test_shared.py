"""
The shared store: several processes, and a server that comes and goes.
"""

import socketserver
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hvcore.plugin_api import Bucket, ConfigError, UnavailableError
from hvcore_ratelimit.shared import SharedWindows
from tests.plugins.ratelimit.hitting import rule
from tests.support.servers import RedisServer, redis_server

ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.services


@pytest.fixture
def server() -> Iterator[RedisServer]:
    with redis_server() as running:
        yield running


@pytest.fixture
def store(server: RedisServer) -> Iterator[SharedWindows]:
    made = SharedWindows(url=server.url, prefix="test")
    yield made
    made.close()


def test_a_thousand_from_several_processes_are_counted_exactly(redis_url: str) -> None:
    command = [sys.executable, "-m", "tests.plugins.ratelimit.hitting"]
    processes = [
        subprocess.Popen(
            [*command, redis_url, "300", "250"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={"PYTHONPATH": "."},
        )
        for _ in range(4)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"

    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    allowed = [int(process.communicate(timeout=60)[0]) for process in processes]

    assert sum(allowed) == 300
    wide = SharedWindows(url=redis_url, prefix="test").hit([rule(3_000)])[0]
    assert wide.remaining == 3_000 - 301


@pytest.mark.parametrize(("keys", "is_healthy"), [("~rq:*", False), ("~test*", True)])
def test_who_may_not_use_the_keys_of_the_limits_is_unhealthy(
    server: RedisServer, keys: str, *, is_healthy: bool
) -> None:
    words = ("ACL", "SETUSER", "limited", "reset", "on", ">pw", keys, "+@all")
    with server.client() as client:
        client.execute_command(*words)
    url = server.url.replace("unix://", "unix://limited:pw@")
    store = SharedWindows(url=url, prefix="test")

    if is_healthy:
        store.ping()
        return
    for ask in (store.ping, lambda: store.hit([rule(5)])):
        with pytest.raises(UnavailableError, match="does not answer"):
            ask()


def test_a_request_is_one_command(server: RedisServer, store: SharedWindows) -> None:
    rules = [rule(5, bucket=Bucket.VIDEO_OPERATIONS), rule(10)]
    store.hit(rules)
    with server.client() as client:
        before = client.info("commandstats")["cmdstat_evalsha"]["calls"]

        for _ in range(20):
            store.hit(rules)

        stats = client.info("commandstats")
        assert stats["cmdstat_evalsha"]["calls"] == before + 20
        assert "cmdstat_eval" not in stats


def test_keys_expire_by_themselves(server: RedisServer, store: SharedWindows) -> None:
    store.hit([rule(5, bucket=Bucket.UPLOAD_URL_OF_KEY, window_s=60), rule(10)])

    with server.client() as client:
        lives = {key.decode(): client.ttl(key) for key in client.scan_iter()}
    assert lives == {
        "test:upload-url-of-key/org_a": pytest.approx(60, abs=2),
        "test:api/org_a": pytest.approx(3600, abs=2),
    }


def test_what_has_left_the_window_is_removed(
    server: RedisServer, store: SharedWindows
) -> None:
    now = time.time()
    with server.client() as client:
        # Newest first: three of now, a thousand that have left, in order.
        client.rpush("test:api/org_a", *[f"{now - n:.6f}" for n in range(3)])
        old = [f"{now - 3600 - n:.6f}" for n in range(1, 1_001)]
        client.rpush("test:api/org_a", *old)

        assert store.hit([rule(10)])[0].remaining == 6

        assert client.llen("test:api/org_a") == 4


def test_a_window_of_which_everything_has_left_begins_anew(
    server: RedisServer, store: SharedWindows
) -> None:
    with server.client() as client:
        client.rpush("test:api/org_a", *["1.000000"] * 7)

        assert store.hit([rule(5)])[0].remaining == 4

        assert client.llen("test:api/org_a") == 1


def test_a_window_is_a_list_of_the_moments_of_its_hits(
    server: RedisServer, store: SharedWindows
) -> None:
    for _ in range(3):
        store.hit([rule(5)])

    with server.client() as client:
        moments = list(map(float, client.lrange("test:api/org_a", 0, -1)))
    assert len(moments) == 3
    assert moments == sorted(moments, reverse=True)


def test_a_server_that_was_started_again_counts_at_once(
    server: RedisServer, store: SharedWindows
) -> None:
    store.hit([rule(5)])

    server.stop()
    server.start()

    assert store.hit([rule(5)])[0].remaining == 4


def test_scripts_that_were_flushed_are_loaded_again(
    server: RedisServer, store: SharedWindows
) -> None:
    store.hit([rule(5)])
    with server.client() as client:
        client.script_flush()

    assert store.hit([rule(5)])[0].remaining == 3


def test_a_server_that_is_gone_is_reported_at_once(
    server: RedisServer, store: SharedWindows
) -> None:
    store.hit([rule(5)])
    server.stop()

    begun = time.monotonic()
    with pytest.raises(UnavailableError, match="does not answer"):
        store.hit([rule(5)])
    with pytest.raises(UnavailableError, match="does not answer"):
        store.ping()

    assert time.monotonic() - begun < 0.25


def test_a_server_that_is_silent_is_given_a_quarter_of_a_second(
    server: RedisServer, store: SharedWindows
) -> None:
    store.hit([rule(5)])
    server.freeze()
    try:
        begun = time.monotonic()
        with pytest.raises(UnavailableError, match="does not answer"):
            store.hit([rule(5)])
        took_s = time.monotonic() - begun
    finally:
        server.thaw()

    assert took_s < 0.5
    store.ping()


GREETINGS = {b"HELLO": b"%1\r\n+proto\r\n:3\r\n", b"CLIENT": b"+OK\r\n"}


@contextmanager
def answering(said: bytes, *, greets: bool) -> Iterator[str]:
    """
    Run a server that answers everything so, but its clients' greetings if it greets.

    Gives its address.
    """

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            while line := self.rfile.readline():
                # A command is an array of texts, each behind its length.
                words = [self.rfile.readline() for _ in range(2 * int(line[1:]))]
                greeting = GREETINGS.get(words[1].strip()) if greets else None
                self.wfile.write(greeting or said)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        try:
            yield f"redis://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()


@pytest.mark.parametrize(
    "said",
    [
        *(b"$-1\r\n", b":5\r\n", b"*0\r\n", b"+OK\r\n", b"$0\r\n\r\n"),
        *(b"$3\r\n1 2\r\n", b"$11\r\n0 inf 1e400\r\n", b"$7\r\n0 x 1.5\r\n"),
        *(b"-ERR unknown command\r\n", b"-WRONGTYPE no list\r\n", b"-NOPERM no\r\n"),
        *(b"$3\r\n\xff\xfe\xfd\r\n", b"HTTP/1.1 200 OK\r\n\r\n", b":x\r\n"),
    ],
)
@pytest.mark.parametrize("greets", [True, False])
def test_an_answer_that_is_none_is_an_outage(said: bytes, *, greets: bool) -> None:
    """
    Not an error of the request: what the caller does in an outage it does here.
    """
    with answering(said, greets=greets) as url:
        store = SharedWindows(url=url, prefix="test")

        for _ in range(2):
            with pytest.raises(
                UnavailableError, match=r"does not answer|something else"
            ):
                store.hit([rule(5)])
        with pytest.raises(UnavailableError, match=r"does not answer|something else"):
            store.ping()
        store.close()


def test_a_key_of_another_type_is_an_outage_of_that_limit_alone(
    server: RedisServer, store: SharedWindows
) -> None:
    store.hit([rule(5)])
    with server.client() as client:
        (key,) = client.keys("*")
        client.delete(key)
        client.set(key, "a text")

    with pytest.raises(UnavailableError, match="does not answer"):
        store.hit([rule(5)])

    assert store.hit([rule(5, bucket=Bucket.VIDEO_OPERATIONS)])[0].remaining == 4


def test_an_address_of_another_kind_is_a_setting_to_fix() -> None:
    with pytest.raises(ConfigError, match=r"limits\.options\.url"):
        SharedWindows(url="https://queue:6379", prefix="test")
