"""
The queue on RQ while its server is gone, frozen, or refuses some keys.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis

from hvcore.errors import UnavailableError
from hvcore.plugin_api import Lane
from hvcore_queue_rq.backend import RqQueue
from tests.plugins.queue_rq.consumers import consuming, put
from tests.support.servers import RedisServer, wait_until


def test_who_may_not_use_the_keys_of_the_queue_is_told_which(
    limited: Callable[[str], RqQueue],
) -> None:
    queue = limited("~hvcore*")
    with pytest.raises(UnavailableError, match="refuses"):
        put(queue)

    with pytest.raises(UnavailableError, match=r"~rq:\*"):
        queue.ping()


def test_who_may_use_the_keys_of_the_queue_is_healthy(
    limited: Callable[[str], RqQueue], own_server: RedisServer
) -> None:
    queue = limited("~rq:*")

    queue.ping()

    with redis.Redis.from_url(own_server.url) as client:
        assert client.keys() == []
    with consuming(queue) as consumer:
        wait_until(consumer.has_seen(put(queue)))


def test_a_flushed_server_is_no_end(queue: RqQueue, redis_url: str) -> None:
    with consuming(queue) as consumer, redis.Redis.from_url(redis_url) as client:
        wait_until(consumer.has_seen(put(queue)))

        client.flushall()

        wait_until(lambda: client.scard("rq:workers") == 1)
        wait_until(consumer.has_seen(put(queue)))
        assert len(client.keys("rq:worker:*")) == 1


def test_a_restart_of_the_server_is_waited_out(own_server: RedisServer) -> None:
    queue = RqQueue(url=own_server.url, prefix="test")
    with consuming(queue) as consumer:
        wait_until(consumer.has_seen(put(queue)))

        own_server.stop()
        with pytest.raises(UnavailableError, match="does not answer"):
            put(queue)
        with pytest.raises(UnavailableError, match="does not answer"):
            queue.ping()
        with pytest.raises(UnavailableError, match="does not answer"):
            queue.depth(Lane.ENCODE)
        own_server.start()

        queue.ping()
        wait_until(consumer.has_seen(put(queue)))
    queue.close()


def test_a_consumer_can_start_and_stop_without_a_server(tmp_path: Path) -> None:
    queue = RqQueue(url=f"unix://{tmp_path}/none", prefix="test")
    end = time.monotonic() + 0.5

    queue.consume(
        lambda _: None, lanes=[Lane.LIGHT], until=lambda: time.monotonic() > end
    )

    assert time.monotonic() - end < 2


def test_put_gives_up_on_a_frozen_server(own_server: RedisServer) -> None:
    queue = RqQueue(url=own_server.url, prefix="test")
    put(queue)
    own_server.freeze()
    start = time.monotonic()

    with pytest.raises(UnavailableError, match="does not answer"):
        put(queue)

    assert time.monotonic() - start < 0.75
    own_server.thaw()
    queue.close()


def test_put_survives_a_restart_of_the_server(own_server: RedisServer) -> None:
    queue = RqQueue(url=own_server.url, prefix="test")
    put(queue)
    own_server.stop()
    own_server.start()

    put(queue)

    assert queue.depth(Lane.ENCODE) == 1
    queue.close()


@contextmanager
def _denied(server: redis.Redis, key: str) -> Iterator[str]:
    """
    Make a user who may do everything but with this key; gives name:password.
    """
    others = [f"~rq:{kind}*" for kind in ("job", "worker", "clean")]
    lanes = [f"~rq:queue:test:{lane.value}" for lane in Lane if lane.value not in key]
    rules = [
        "on",
        ">secret",
        "+@all",
        "~rq:queues",
        "~rq:queue:test:ping",
        *others,
        *lanes,
    ]
    server.execute_command("ACL", "SETUSER", "lanes", "reset", *rules)
    yield "lanes:secret"
    server.execute_command("ACL", "DELUSER", "lanes")


@pytest.mark.parametrize("fault", ["type", "denied"])
def test_a_lane_that_fails_stops_no_other_and_is_named(
    redis_url: str, caplog: pytest.LogCaptureFixture, fault: str
) -> None:
    key = f"rq:queue:test:{Lane.LIGHT.value}"
    with redis.Redis.from_url(redis_url) as server, _denied(server, key) as login:
        url = redis_url
        if fault == "type":
            server.set(key, "a text")
        else:
            url = redis_url.replace("://", f"://{login}@")
        queue = RqQueue(url=url, prefix="test")

        with consuming(queue, list(Lane)) as consumer:
            for _ in range(2):
                encode = put(queue)
                wait_until(consumer.has_seen(encode))
            with pytest.raises(UnavailableError, match=f"lane {Lane.LIGHT.value} ref"):
                queue.ping()
            with pytest.raises(UnavailableError, match=f"lane {Lane.LIGHT.value} ref"):
                put(queue, Lane.LIGHT)
            # Fixed, it is looked into again without a restart.
            server.delete(key)
            server.execute_command("ACL", "SETUSER", "lanes", "allkeys")
            queue.ping()
            light = put(queue, Lane.LIGHT)
            wait_until(consumer.has_seen(light))

        queue.close()
    lines = [r for r in caplog.records if r.message == "the queue does not answer"]
    assert {vars(line).get("hv_lane") for line in lines} == {Lane.LIGHT.value}
    assert len(lines) == 1


def test_a_consumer_of_a_failing_lane_alone_waits_for_it(
    queue: RqQueue, redis_url: str
) -> None:
    key = f"rq:queue:test:{Lane.LIGHT.value}"
    with redis.Redis.from_url(redis_url) as server:
        server.set(key, "a text")
        with consuming(queue, [Lane.LIGHT]) as consumer:
            wait_until(lambda: queue.workers(Lane.LIGHT) == 0)
            server.delete(key)
            light = put(queue, Lane.LIGHT)
            wait_until(consumer.has_seen(light))


def test_a_server_that_refuses_all_lanes_is_one_outage(
    redis_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    with redis.Redis.from_url(redis_url) as server, _denied(server, "") as login:
        server.execute_command("ACL", "SETUSER", "lanes", "-blpop", "-lpop")
        url = redis_url.replace("://", f"://{login}@")
        queue = RqQueue(url=url, prefix="test")

        with consuming(queue, list(Lane)) as consumer:
            wait_until(lambda: "the queue does not answer" in caplog.messages)
            server.execute_command("ACL", "SETUSER", "lanes", "+blpop", "+lpop")
            encode = put(queue)
            wait_until(consumer.has_seen(encode))

        queue.close()
    (line,) = [r for r in caplog.records if r.message == "the queue does not answer"]
    assert not hasattr(line, "hv_lane")
