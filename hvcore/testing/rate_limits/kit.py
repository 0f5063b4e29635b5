"""The fixtures that the promises of stores of rate limits share."""

import time
from collections.abc import Callable
from datetime import timedelta
from typing import TypeAlias

import pytest

from hvcore.clock import Clock, SystemClock
from hvcore.domain.access.rate_limits import Bucket, RateLimit, RateLimitRule
from hvcore.ports.rate_limit import RateLimitStore
from hvcore.testing.fakes import SettableClock
from hvcore.testing.kit import Kit

ReopenedStore: TypeAlias = Callable[[], RateLimitStore]
"""Opens another rate limit store on the same counts, as another process would."""


class RateLimitKit(Kit):
    """
    The fixtures and settings of every kit of rate limit stores, which a plugin's test class overrides.

    Attributes:
        is_shared: Whether other processes count together with this one; False for a
            store that counts for its own process.
        gives_up_within_s: The most seconds that a call may take while the store does
            not answer; the port says 0.25 s, but test machines are busy.
    """

    is_shared = True
    gives_up_within_s = 0.75

    @pytest.fixture
    def clock(self) -> Clock:
        """Return the clock of the store; by default the system's, which tests cannot move."""
        return SystemClock()

    @pytest.fixture
    def store(self) -> RateLimitStore:
        """Return a store that has counted nothing; the subclass closes it."""
        raise NotImplementedError("give the fixture: an empty store")

    @pytest.fixture
    def reopened(self) -> ReopenedStore:
        """
        Return a function that opens another store on the same counts.

        Only used if ``is_shared``.
        """
        self._skip_unless_shared()
        raise NotImplementedError("give the fixture: it opens the same counts again")

    @pytest.fixture
    def unreachable(self) -> RateLimitStore:
        """
        Return a store whose server became silent or unreachable after the store was built.

        Only used if ``is_shared``.
        """
        self._skip_unless_shared()
        raise NotImplementedError("give the fixture: a store that cannot answer")

    @pytest.fixture
    def reopened_or_same(
        self, store: RateLimitStore, request: pytest.FixtureRequest
    ) -> RateLimitStore:
        """Return another store on the same counts, or the store itself."""
        if not self.is_shared:
            return store
        reopened: ReopenedStore = request.getfixturevalue("reopened")
        return reopened()

    @pytest.fixture
    def elsewhere(self) -> RateLimitStore:
        """Return a store on other data, which has counted nothing."""
        raise NotImplementedError("give the fixture: an empty store of other data")

    def _skip_unless_shared(self) -> None:
        if not self.is_shared:
            pytest.skip("it counts for one process")


def rule(
    requests: int,
    *,
    bucket: Bucket = Bucket.API,
    window_s: int = 3600,
    subject: str = "org_a",
) -> RateLimitRule:
    """
    Return a rate limit rule with a limit, window, bucket and subject.

    Args:
        requests: The most requests within a window.
    """
    limit = RateLimit(bucket=bucket, requests=requests, window_s=window_s)
    return RateLimitRule(limit=limit, subject=subject)


def let_pass(clock: Clock, by: timedelta) -> None:
    """Move the clock forward if tests can set it; else wait."""
    if isinstance(clock, SettableClock):
        clock.move(by)
    else:
        time.sleep(by.total_seconds())
