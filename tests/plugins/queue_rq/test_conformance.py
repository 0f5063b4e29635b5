"""
The queue on RQ keeps the promises of the port, with a real server.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import redis

from hvcore.testing.queue import OutageOfQueue, ReopenedQueue, SharedQueueConformance
from hvcore_queue_rq.backend import RqQueue
from tests.support.servers import RedisServer, redis_server


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    with redis_server() as made:
        yield made


@pytest.mark.every(3)
class TestRqQueue(SharedQueueConformance):
    leftovers = {  # noqa: RUF012 - as authors write it
        "children": "an outage starts the tests' own server again",
    }

    @pytest.fixture
    def queue(self, server: RedisServer) -> Iterator[RqQueue]:
        with redis.Redis.from_url(server.url) as client:
            client.flushall()
        made = RqQueue(url=server.url, prefix="kit")
        yield made
        made.close()

    @pytest.fixture
    def reopened(self, server: RedisServer) -> ReopenedQueue:
        return lambda: RqQueue(url=server.url, prefix="kit")

    @pytest.fixture
    def elsewhere(self, server: RedisServer) -> Iterator[RqQueue]:
        made = RqQueue(url=server.url, prefix="kit2")
        yield made
        made.close()

    @pytest.fixture
    def outage(self, server: RedisServer) -> OutageOfQueue:
        @contextmanager
        def stopped() -> Iterator[None]:
            server.stop()
            yield
            server.start()

        return stopped
