"""
The promises of stores of rate limits, as tests.

A plugin's tests inherit and give the fixtures::

    class TestAcmeWindows(RateLimitConformance):
        @pytest.fixture
        def store(self): ...

        @pytest.fixture
        def reopened(self): ...

        @pytest.fixture
        def unreachable(self): ...

        @pytest.fixture
        def elsewhere(self): ...

Each test gets an empty store of its own; the kit itself uses no network. For a store
that takes the clock of its context, define ``clock``, too: a SettableClock of
``hvcore.testing.fakes``, which the store is built with. Without it, the kit waits for
windows of some seconds.
"""

from hvcore.testing.rate_limits.counts import CountPromises
from hvcore.testing.rate_limits.kit import ReopenedStore
from hvcore.testing.rate_limits.sharing import SharingPromises
from hvcore.testing.rate_limits.windows import WindowPromises

__all__ = ["RateLimitConformance", "ReopenedStore"]


class RateLimitConformance(CountPromises, WindowPromises, SharingPromises):
    """The tests of the promises of every RateLimitStore about counts, windows, sharing and failures: subclass it for a plugin."""
