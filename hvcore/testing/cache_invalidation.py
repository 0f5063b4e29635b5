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

        def keep(self, address): ...

        def is_kept(self, address): ...

Each test gets a cache invalidator and an empty cache of its own; the kit itself uses no network.
"""

import logging
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar, Final

import pytest

from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.errors import UnavailableError
from hvcore.ports.cache_invalidation import (
    CacheInvalidator,
    InvalidationOrder,
    InvalidationReason,
)
from hvcore.testing.children import at_once, is_unavailable
from hvcore.testing.kit import Kit

WORKER: Final = "https://cdn.example.com"
PLAYER: Final = "https://play.example.com"
_ONE: Final = f"{WORKER}/v1/public/org_a/env_a/vid_1/"
_TEN: Final = f"{WORKER}/v1/public/org_a/env_a/vid_10/"


class CacheInvalidatorConformance(Kit):
    """
    The promises of every cache invalidator.

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

    def keep(self, address: str) -> None:
        """Have the cache keep an answer, as if it was asked for this address."""
        raise NotImplementedError("give the method: it puts something into the cache")

    def is_kept(self, address: str) -> bool:
        """Tell whether the cache would still answer by itself."""
        raise NotImplementedError("give the method: it looks into the cache")

    def test_paths_under_a_prefix_are_forgotten(
        self, invalidator: CacheInvalidator
    ) -> None:
        """Every address is forgotten, under each prefix."""
        player = f"{PLAYER}/v1/embed/vid_1"
        gone = [
            *(f"{_ONE}master.m3u8", f"{_ONE}720p/0.m4s", f"{_ONE}a/b/c?x=1&y=2"),
            *(player, f"{player}?autoplay=1", f"{player}/captions"),
        ]
        self._keep(gone)
        invalidator.invalidate(_order(_ONE, player))

        assert self._kept(gone) == []

    def test_everything_else_stays(self, invalidator: CacheInvalidator) -> None:
        """Of other videos, other hosts, and what has the prefix somewhere else."""
        stays = [
            *(
                f"{_TEN}master.m3u8",
                f"{WORKER}/v1/public/org_b/env_a/vid_1/master.m3u8",
            ),
            *(f"{PLAYER}/v1/public/org_a/env_a/vid_1/master.m3u8",),
            f"{WORKER}/x?back=/v1/public/org_a/env_a/vid_1/master.m3u8",
            f"{WORKER}/deeper/v1/public/org_a/env_a/vid_1/master.m3u8",
            f"{WORKER}/v1/public/org_a/env_a/vid_1",
        ]
        self._keep([*stays, f"{_ONE}master.m3u8"])
        invalidator.invalidate(_order(_ONE))

        assert self._kept(stays) == stays
        assert not self.is_kept(f"{_ONE}master.m3u8")

    def test_a_prefix_is_no_pattern(self, invalidator: CacheInvalidator) -> None:
        """A dot is a dot, a plus a plus."""
        prefix = f"{WORKER}/v1/public/org.a/dev+1/vid_1/"
        stays = [
            f"{WORKER}/v1/public/orgXa/dev+1/vid_1/a",
            f"{WORKER}/v1/public/org.a/devv1/vid_1/a",
        ]
        self._keep([*stays, f"{prefix}a"])
        invalidator.invalidate(_order(prefix))

        assert not self.is_kept(f"{prefix}a")
        assert self._kept(stays) == stays

    def test_an_order_may_have_many_prefixes(
        self, invalidator: CacheInvalidator
    ) -> None:
        """More than providers take at a time."""
        prefixes = [f"{WORKER}/v1/public/org_a/env_{n}/vid_1/" for n in range(70)]
        self._keep([f"{prefix}a" for prefix in prefixes])
        invalidator.invalidate(_order(*prefixes))

        assert self._kept([f"{prefix}a" for prefix in prefixes]) == []

    def test_every_reason_is_one(self, invalidator: CacheInvalidator) -> None:
        """Private and revoked files go like deleted ones."""
        for reason in InvalidationReason:
            self._keep([f"{_ONE}a"])
            invalidator.invalidate(_order(_ONE, reason=reason))

            assert not self.is_kept(f"{_ONE}a"), reason

    def test_an_order_may_be_repeated(self, invalidator: CacheInvalidator) -> None:
        """Each time it is carried out: the first answer may have been lost."""
        for _ in range(3):
            self._keep([f"{_ONE}a"])
            invalidator.invalidate(_order(_ONE))

            assert not self.is_kept(f"{_ONE}a")

    def test_nothing_to_forget_is_fine(self, invalidator: CacheInvalidator) -> None:
        """Nobody knows what a cache keeps; nor need there be prefixes."""
        self._keep([f"{_TEN}a"])
        invalidator.invalidate(_order(_ONE))
        invalidator.invalidate(_order(_ONE))
        invalidator.invalidate(_order())

        assert self.is_kept(f"{_TEN}a")

    def test_orders_at_once_are_all_carried_out(
        self, invalidator: CacheInvalidator
    ) -> None:
        """Several threads of a worker use one invalidator."""
        prefixes = [f"{WORKER}/v1/private/vid_{n}/" for n in range(8)]
        self._keep([f"{prefix}a" for prefix in prefixes])
        calls: list[Callable[[], None]] = [
            partial(invalidator.invalidate, _order(prefix)) for prefix in prefixes
        ]
        at_once(calls)

        assert self._kept([f"{prefix}a" for prefix in prefixes]) == []

    def test_a_cache_that_does_not_answer_is_unavailable(
        self, unreachable: CacheInvalidator
    ) -> None:
        """In time, by the port's own error: the order is repeated."""
        self._assert_unavailable(unreachable)

    def test_a_cache_that_refuses_is_unavailable(
        self, refused: CacheInvalidator
    ) -> None:
        """An order is done when the cache says so, and not before."""
        self._assert_unavailable(refused)

    def test_no_secret_is_told(
        self, refused: CacheInvalidator, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Neither by the error and its causes, nor by what is printed or logged."""
        caplog.set_level(logging.DEBUG)
        texts = [repr(refused)]
        try:
            refused.invalidate(_order(_ONE))
        except UnavailableError as exc:
            texts += [*traceback.format_exception(exc), repr(vars(exc))]
        texts += [f"{record.getMessage()} {vars(record)}" for record in caplog.records]

        for secret in self.secrets:
            assert not any(secret in text for text in texts), "a secret is told"

    def _assert_unavailable(self, invalidator: CacheInvalidator) -> None:
        def purge() -> None:
            invalidator.invalidate(_order(_ONE, _TEN))

        assert is_unavailable(self.gives_up_within_s, purge), "it says it is done"

    def _keep(self, addresses: Sequence[str]) -> None:
        for address in addresses:
            self.keep(address)
        assert self._kept(addresses) == list(addresses), "the cache keeps nothing"

    def _kept(self, addresses: Sequence[str]) -> list[str]:
        return [address for address in addresses if self.is_kept(address)]


def _order(
    *prefixes: str, reason: InvalidationReason = InvalidationReason.DELETED
) -> InvalidationOrder:
    return InvalidationOrder(
        id="task_kit",
        reason=reason,
        org_id=OrgId("org_a"),
        env_id=EnvId("env_a"),
        video_id=VideoId("vid_1"),
        address_prefixes=prefixes,
    )
