"""
The shared store: several processes, and a server that comes and goes.
"""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hv_ratelimit.shared import SharedWindows
from hvcore.plugin_api import Bucket, ConfigError, UnavailableError
from tests.plugins.ratelimit.hitting import rule
from tests.servers import RedisServer, redis_server

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
        with pytest.raises(UnavailableError):
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
    with pytest.raises(UnavailableError):
        store.hit([rule(5)])
    with pytest.raises(UnavailableError):
        store.ping()

    assert time.monotonic() - begun < 0.25


def test_a_server_that_is_silent_is_given_a_quarter_of_a_second(
    server: RedisServer, store: SharedWindows
) -> None:
    store.hit([rule(5)])
    server.freeze()
    try:
        begun = time.monotonic()
        with pytest.raises(UnavailableError):
            store.hit([rule(5)])
        took_s = time.monotonic() - begun
    finally:
        server.thaw()

    assert took_s < 0.5
    store.ping()


def test_an_address_of_another_kind_is_a_setting_to_mend() -> None:
    with pytest.raises(ConfigError, match=r"limits\.options\.url"):
        SharedWindows(url="https://queue:6379", prefix="test")
