"""The fixtures that the promises of cache invalidators share."""

from collections.abc import Sequence
from typing import ClassVar, Final

import pytest

from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.ports.cache_invalidation import (
    CacheInvalidator,
    InvalidationOrder,
    InvalidationReason,
)
from hvcore.testing.children import is_unavailable
from hvcore.testing.kit import Kit

WORKER: Final = "https://cdn.example.com"
PLAYER: Final = "https://play.example.com"
ONE: Final = f"{WORKER}/v1/public/org_a/env_a/vid_1/"
TEN: Final = f"{WORKER}/v1/public/org_a/env_a/vid_10/"


class CacheKit(Kit):
    """
    The fixtures and settings of every kit of cache invalidators, which a plugin's test class overrides.

    Attributes:
        secrets: The secrets that the invalidator sends to the cache, and that no log or
            error may have.
        gives_up_within_s: The most seconds that a call may take while the cache does
            not answer.
    """

    secrets: ClassVar[Sequence[str]] = ()
    gives_up_within_s = 15.0

    @pytest.fixture
    def invalidator(self) -> CacheInvalidator:
        """Return the cache invalidator under test, with a cache that works."""
        raise NotImplementedError("give the fixture: the invalidator")

    @pytest.fixture
    def unreachable(self) -> CacheInvalidator:
        """Return a cache invalidator whose cache does not answer."""
        raise NotImplementedError("give the fixture: its cache is silent or gone")

    @pytest.fixture
    def refused(self) -> CacheInvalidator:
        """Return a cache invalidator whose cache refuses every request."""
        raise NotImplementedError("give the fixture: its cache refuses")

    @pytest.fixture
    def breaks_off(self) -> CacheInvalidator:
        """Return a cache invalidator whose cache breaks off each answer in the middle."""
        raise NotImplementedError("give the fixture: its cache gives half answers")

    def refuse_once(self) -> None:
        """Make the cache refuse one of its next three requests and accept all others."""
        raise NotImplementedError("give the method: the cache fails for a moment")

    def keep(self, address: str) -> None:
        """Store an answer for an address in the cache, as a request would."""
        raise NotImplementedError("give the method: it puts something into the cache")

    def is_kept(self, address: str) -> bool:
        """Return whether the cache still has an answer for an address."""
        raise NotImplementedError("give the method: it looks into the cache")

    def assert_unavailable(self, invalidator: CacheInvalidator) -> None:
        """Assert that the invalidator raises UnavailableError for an order within the time limit."""

        def purge() -> None:
            invalidator.invalidate(order(ONE, TEN))

        assert is_unavailable(self.gives_up_within_s, purge), "it says it is done"

    def keep_all(self, addresses: Sequence[str]) -> None:
        """Store an answer for each address in the cache."""
        for address in addresses:
            self.keep(address)
        assert self.kept_of(addresses) == list(addresses), "the cache keeps nothing"

    def kept_of(self, addresses: Sequence[str]) -> list[str]:
        """Return the addresses for which the cache still has an answer."""
        return [address for address in addresses if self.is_kept(address)]


def order(
    *prefixes: str, reason: InvalidationReason = InvalidationReason.DELETED
) -> InvalidationOrder:
    """Return an invalidation order of a video with these address prefixes."""
    return InvalidationOrder(
        id="task_kit",
        reason=reason,
        org_id=OrgId("org_a"),
        env_id=EnvId("env_a"),
        video_id=VideoId("vid_1"),
        address_prefixes=prefixes,
    )
