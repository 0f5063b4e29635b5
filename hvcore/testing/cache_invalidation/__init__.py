"""
The promises of cache invalidators, as tests.

A plugin's tests inherit and give a cache, or an imitation of one::

    class TestAcmeInvalidator(CacheInvalidatorConformance):
        @pytest.fixture
        def invalidator(self): ...

        @pytest.fixture
        def unreachable(self): ...

        @pytest.fixture
        def refused(self): ...

        @pytest.fixture
        def breaks_off(self): ...

        def refuse_once(self): ...

        def keep(self, address): ...

        def is_kept(self, address): ...

Each test gets a cache invalidator and an empty cache of its own; the kit itself uses no network.
"""

from hvcore.testing.cache_invalidation.half_answers import half_answering_cache
from hvcore.testing.cache_invalidation.kit import PLAYER, WORKER
from hvcore.testing.cache_invalidation.letters import LetterPromises
from hvcore.testing.cache_invalidation.orders import OrderPromises

__all__ = ["PLAYER", "WORKER", "CacheInvalidatorConformance", "half_answering_cache"]


class CacheInvalidatorConformance(OrderPromises, LetterPromises):
    """The tests of the promises of every cache invalidator about orders, addresses and failures: subclass it for a plugin."""
