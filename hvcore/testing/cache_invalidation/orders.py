"""The promises of a cache invalidator about the addresses that an order removes."""

import logging
import traceback
from collections.abc import Callable
from functools import partial

import pytest

from hvcore.errors import UnavailableError
from hvcore.ports.cache_invalidation import CacheInvalidator, InvalidationReason
from hvcore.testing.cache_invalidation.kit import (
    ONE,
    PLAYER,
    TEN,
    WORKER,
    CacheKit,
    order,
)
from hvcore.testing.children import at_once


class OrderPromises(CacheKit):
    """The promises of a cache invalidator: an order removes exactly the addresses that begin with its prefixes."""

    def test_paths_under_a_prefix_are_forgotten(
        self, invalidator: CacheInvalidator
    ) -> None:
        """An order removes every address under each of its prefixes, also with a query."""
        player = f"{PLAYER}/v1/embed/vid_1"
        gone = [
            *(f"{ONE}master.m3u8", f"{ONE}720p/0.m4s", f"{ONE}a/b/c?x=1&y=2"),
            *(player, f"{player}?autoplay=1", f"{player}/captions"),
        ]
        self.keep_all(gone)
        invalidator.invalidate(order(ONE, player))

        assert self.kept_of(gone) == []

    def test_everything_else_stays(self, invalidator: CacheInvalidator) -> None:
        """An order leaves addresses of other videos and hosts, and addresses with the prefix in another place."""
        stays = [
            *(
                f"{TEN}master.m3u8",
                f"{WORKER}/v1/public/org_b/env_a/vid_1/master.m3u8",
            ),
            *(f"{PLAYER}/v1/public/org_a/env_a/vid_1/master.m3u8",),
            f"{WORKER}/x?back=/v1/public/org_a/env_a/vid_1/master.m3u8",
            f"{WORKER}/deeper/v1/public/org_a/env_a/vid_1/master.m3u8",
            f"{WORKER}/v1/public/org_a/env_a/vid_1",
        ]
        self.keep_all([*stays, f"{ONE}master.m3u8"])
        invalidator.invalidate(order(ONE))

        assert self.kept_of(stays) == stays
        assert not self.is_kept(f"{ONE}master.m3u8")

    def test_a_prefix_is_no_pattern(self, invalidator: CacheInvalidator) -> None:
        """Dots and pluses in a prefix are plain characters, and no pattern."""
        prefix = f"{WORKER}/v1/public/org.a/dev+1/vid_1/"
        stays = [
            f"{WORKER}/v1/public/orgXa/dev+1/vid_1/a",
            f"{WORKER}/v1/public/org.a/devv1/vid_1/a",
        ]
        self.keep_all([*stays, f"{prefix}a"])
        invalidator.invalidate(order(prefix))

        assert not self.is_kept(f"{prefix}a")
        assert self.kept_of(stays) == stays

    def test_an_order_may_have_many_prefixes(
        self, invalidator: CacheInvalidator
    ) -> None:
        """An order may have 70 prefixes, more than a cache provider takes in one request."""
        prefixes = [f"{WORKER}/v1/public/org_a/env_{n}/vid_1/" for n in range(70)]
        self.keep_all([f"{prefix}a" for prefix in prefixes])
        invalidator.invalidate(order(*prefixes))

        assert self.kept_of([f"{prefix}a" for prefix in prefixes]) == []

    def test_every_reason_is_one(self, invalidator: CacheInvalidator) -> None:
        """An order is carried out alike for every reason, such as deleted, private or revoked."""
        for reason in InvalidationReason:
            self.keep_all([f"{ONE}a"])
            invalidator.invalidate(order(ONE, reason=reason))

            assert not self.is_kept(f"{ONE}a"), reason

    def test_an_order_may_be_repeated(self, invalidator: CacheInvalidator) -> None:
        """An order that is repeated is carried out each time, because the first answer may have been lost."""
        for _ in range(3):
            self.keep_all([f"{ONE}a"])
            invalidator.invalidate(order(ONE))

            assert not self.is_kept(f"{ONE}a")

    def test_nothing_to_forget_is_fine(self, invalidator: CacheInvalidator) -> None:
        """An order without prefixes, or with prefixes of which the cache has nothing, succeeds."""
        self.keep_all([f"{TEN}a"])
        invalidator.invalidate(order(ONE))
        invalidator.invalidate(order(ONE))
        invalidator.invalidate(order())

        assert self.is_kept(f"{TEN}a")

    def test_orders_at_once_are_all_carried_out(
        self, invalidator: CacheInvalidator
    ) -> None:
        """Invalidations that several threads order at the same time are all carried out."""
        prefixes = [f"{WORKER}/v1/private/vid_{n}/" for n in range(8)]
        self.keep_all([f"{prefix}a" for prefix in prefixes])
        calls: list[Callable[[], None]] = [
            partial(invalidator.invalidate, order(prefix)) for prefix in prefixes
        ]
        at_once(calls)

        assert self.kept_of([f"{prefix}a" for prefix in prefixes]) == []

    def test_a_cache_that_does_not_answer_is_unavailable(
        self, unreachable: CacheInvalidator
    ) -> None:
        """A cache that does not answer raises UnavailableError in time, so that the order is repeated."""
        self.assert_unavailable(unreachable)

    def test_a_cache_that_refuses_is_unavailable(
        self, refused: CacheInvalidator
    ) -> None:
        """A cache that refuses an order raises UnavailableError: an order is done only when the cache says so."""
        self.assert_unavailable(refused)

    def test_no_secret_is_told(
        self, refused: CacheInvalidator, caplog: pytest.LogCaptureFixture
    ) -> None:
        """No error, cause, ``repr`` or log line of the invalidator contains a secret."""
        caplog.set_level(logging.DEBUG)
        texts = [repr(refused)]
        try:
            refused.invalidate(order(ONE))
        except UnavailableError as exc:
            texts += [*traceback.format_exception(exc), repr(vars(exc))]
        texts += [f"{record.getMessage()} {vars(record)}" for record in caplog.records]

        for secret in self.secrets:
            assert not any(secret in text for text in texts), "a secret is told"
