"""
Both stores keep the promises of the port.
"""

from collections.abc import Iterator

import pytest

from hvcore.plugin_api import Clock, RateLimitStore
from hvcore.testing.fakes import SettableClock
from hvcore.testing.rate_limits import RateLimitConformance, ReopenedStore
from hvcore_ratelimit.memory import MemoryWindows
from hvcore_ratelimit.shared import SharedWindows
from tests.support.servers import redis_server


class TestMemoryWindows(RateLimitConformance):
    is_shared = False

    @pytest.fixture
    def clock(self) -> Clock:
        return SettableClock()

    @pytest.fixture
    def store(self, clock: Clock) -> RateLimitStore:
        return MemoryWindows(clock=clock)

    @pytest.fixture
    def elsewhere(self, clock: Clock) -> RateLimitStore:
        return MemoryWindows(clock=clock)


@pytest.mark.services
class TestSharedWindows(RateLimitConformance):
    @pytest.fixture
    def store(self, reopened: ReopenedStore) -> RateLimitStore:
        return reopened()

    @pytest.fixture
    def reopened(self, redis_url: str) -> ReopenedStore:
        return lambda: SharedWindows(url=redis_url, prefix="test")

    @pytest.fixture
    def elsewhere(self, redis_url: str) -> RateLimitStore:
        return SharedWindows(url=redis_url, prefix="others")

    @pytest.fixture
    def unreachable(self) -> Iterator[RateLimitStore]:
        with redis_server() as server:
            made = SharedWindows(url=server.url, prefix="test")
            made.ping()
            # Silent, not gone: nobody refuses the connection.
            server.freeze()
            try:
                yield made
            finally:
                server.thaw()
