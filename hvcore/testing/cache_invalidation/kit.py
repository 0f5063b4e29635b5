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
    The fixtures of every part of the kit.

    Attributes:
        secrets: What the invalidator sends to the cache's provider and nobody else may see.
        gives_up_within_s: How long a call may take while the cache does not answer.
    """

    secrets: ClassVar[Sequence[str]] = ()
    gives_up_within_s = 15.0

    @pytest.fixture
    def invalidator(self) -> CacheInvalidator:
        """Make the cache invalidator."""
        raise NotImplementedError("give the fixture: the invalidator")

    @pytest.fixture
    def unreachable(self) -> CacheInvalidator:
        """Return a cache invalidator whose cache does not answer."""
        raise NotImplementedError("give the fixture: its cache is silent or gone")

    @pytest.fixture
    def refused(self) -> CacheInvalidator:
        """Return a cache invalidator whose cache answers that it will not."""
        raise NotImplementedError("give the fixture: its cache refuses")

    @pytest.fixture
    def breaks_off(self) -> CacheInvalidator:
        """Return a cache invalidator whose cache ends its answers in the middle."""
        raise NotImplementedError("give the fixture: its cache gives half answers")

    def refuse_once(self) -> None:
        """Have the cache refuse one of the next three requests, and take all others."""
        raise NotImplementedError("give the method: the cache fails for a moment")

    def keep(self, address: str) -> None:
        """Have the cache keep an answer, as if it was asked for this address."""
        raise NotImplementedError("give the method: it puts something into the cache")

    def is_kept(self, address: str) -> bool:
        """Tell whether the cache would still answer by itself."""
        raise NotImplementedError("give the method: it looks into the cache")

    def assert_unavailable(self, invalidator: CacheInvalidator) -> None:
        """Look whether an invalidator says in time that the order is not done."""

        def purge() -> None:
            invalidator.invalidate(order(ONE, TEN))

        assert is_unavailable(self.gives_up_within_s, purge), "it says it is done"

    def keep_all(self, addresses: Sequence[str]) -> None:
        """Have the cache keep answers for all addresses."""
        for address in addresses:
            self.keep(address)
        assert self.kept_of(addresses) == list(addresses), "the cache keeps nothing"

    def kept_of(self, addresses: Sequence[str]) -> list[str]:
        """Return the addresses that the cache still answers."""
        return [address for address in addresses if self.is_kept(address)]


def order(
    *prefixes: str, reason: InvalidationReason = InvalidationReason.DELETED
) -> InvalidationOrder:
    """Make an order."""
    return InvalidationOrder(
        id="task_kit",
        reason=reason,
        org_id=OrgId("org_a"),
        env_id=EnvId("env_a"),
        video_id=VideoId("vid_1"),
        address_prefixes=prefixes,
    )
