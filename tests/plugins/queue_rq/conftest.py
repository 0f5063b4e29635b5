"""
Queues on RQ with a server for the test.
"""

from collections.abc import Callable, Iterator

import pytest
import redis

from hvcore_queue_rq.backend import RqQueue
from tests.support.servers import RedisServer, redis_server


@pytest.fixture
def queue(redis_url: str) -> Iterator[RqQueue]:
    """
    The queue under test.
    """
    made = RqQueue(url=redis_url, prefix="test")
    yield made
    made.close()


@pytest.fixture
def limited(own_server: RedisServer) -> Callable[[str], RqQueue]:
    """
    Gives the queue of a user who is allowed some keys alone.
    """

    def make(keys: str) -> RqQueue:
        with redis.Redis.from_url(own_server.url) as client:
            client.execute_command(
                "ACL", "SETUSER", "limited", "reset", "on", ">pw", keys, "+@all"
            )
        url = own_server.url.replace("unix://", "unix://limited:pw@")
        return RqQueue(url=url, prefix="hvcore")

    return make


@pytest.fixture
def own_server() -> Iterator[RedisServer]:
    """
    A server that a test may stop.
    """
    with redis_server() as server:
        yield server
