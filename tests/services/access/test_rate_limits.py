"""
Which limits a request counts under, and what happens while the store is down.
"""

import logging
from collections.abc import Sequence
from datetime import timedelta

import attrs
import pytest

from hvcore.domain.access.rate_limits import Bucket, RateLimitRule, RateLimitState
from hvcore.errors import UnavailableError
from hvcore.ports.rate_limit import RateLimitStore
from hvcore.services.access.rate_limits import RateLimitResult, RateLimits
from hvcore.settings.tree import LimitSettings
from hvcore_ratelimit.memory import MemoryWindows
from tests.conftest import SettableClock


class BreakableStore(RateLimitStore):
    """
    Counts in memory until it is broken.
    """

    def __init__(self, clock: SettableClock) -> None:
        self._windows = MemoryWindows(clock=clock)
        self.is_down = False
        self.asked = 0

    def hit(self, rules: Sequence[RateLimitRule]) -> Sequence[RateLimitState]:
        self.asked += 1
        if self.is_down:
            raise UnavailableError("The store is broken.")
        return self._windows.hit(rules)


@attrs.frozen
class Limited:
    store: BreakableStore
    limits: RateLimits

    def count(
        self, bucket: Bucket | None = None, key_id: str = "key_a"
    ) -> RateLimitResult:
        counted = self.limits.count(org_id="org_a", key_id=key_id, bucket=bucket)
        assert counted is not None
        return counted

    def begin(self) -> RateLimitResult:
        counted = self.limits.begin_to_count(org_id="org_a")()
        assert counted is not None
        return counted


def limited(clock: SettableClock, **settings: int) -> Limited:
    store = BreakableStore(clock)
    limits = RateLimits(
        store=store,
        settings=LimitSettings(**settings),  # type: ignore[arg-type]  # numbers only
        clock=clock,
    )
    return Limited(store, limits)


@pytest.mark.parametrize(
    ("bucket", "documented"),
    [
        (None, 10_000),
        (Bucket.UPLOAD_URL, 10),
        (Bucket.VIDEO_OPERATIONS, 1_000),
        (Bucket.ANALYTICS, 1_000),
        (Bucket.THUMBNAILS, 50),
    ],
)
def test_the_numbers_are_the_documented_ones(
    clock: SettableClock, bucket: Bucket | None, documented: int
) -> None:
    counted = limited(clock).count(bucket)

    assert counted.shown.rule.limit.requests == documented
    assert counted.shown.remaining == documented - 1
    assert counted.retry_after_s is None


def test_every_kind_of_request_counts_as_one_of_the_api(clock: SettableClock) -> None:
    world = limited(clock, api_per_hour=4)

    for bucket in (Bucket.UPLOAD_URL, Bucket.VIDEO_OPERATIONS, Bucket.ANALYTICS):
        world.count(bucket)

    assert world.count().shown.remaining == 0
    assert world.count(Bucket.ANALYTICS).retry_after_s == 3600


def test_a_thumbnail_is_a_video_operation_too(clock: SettableClock) -> None:
    world = limited(clock, video_operations_per_hour=2)

    world.count(Bucket.THUMBNAILS)

    assert world.count(Bucket.VIDEO_OPERATIONS).shown.remaining == 0
    assert world.count(Bucket.THUMBNAILS).retry_after_s is not None


def test_upload_urls_are_limited_per_key_and_per_organization(
    clock: SettableClock,
) -> None:
    world = limited(clock, upload_url_per_hour=15)
    for _ in range(10):
        assert world.count(Bucket.UPLOAD_URL).retry_after_s is None

    of_key = world.count(Bucket.UPLOAD_URL)
    assert (of_key.retry_after_s, of_key.shown.rule.limit.requests) == (60, 10)

    for _ in range(5):
        world.count(Bucket.UPLOAD_URL, key_id="key_b")
    of_org = world.count(Bucket.UPLOAD_URL, key_id="key_b")
    assert (of_org.retry_after_s, of_org.shown.rule.limit.requests) == (3600, 15)


def test_the_limit_shown_has_the_fewest_left_then_is_the_smaller(
    clock: SettableClock,
) -> None:
    world = limited(clock, api_per_hour=3, analytics_per_hour=2)
    world.count()

    counted = world.count(Bucket.ANALYTICS)

    assert counted.shown.remaining == 1
    assert counted.shown.rule.limit.bucket is Bucket.ANALYTICS


def test_the_retry_time_is_that_of_the_longest_wait(
    clock: SettableClock,
) -> None:
    world = limited(clock, upload_url_per_hour=1, upload_url_per_minute_and_key=1)
    world.count(Bucket.UPLOAD_URL)

    assert world.count(Bucket.UPLOAD_URL).retry_after_s == 3600


def test_a_wait_is_at_least_a_second(clock: SettableClock) -> None:
    world = limited(clock, api_per_hour=1)
    world.count()

    clock.move(timedelta(hours=1) - timedelta(microseconds=1))

    assert world.count().retry_after_s == 1


def test_a_reset_is_rounded_up(clock: SettableClock) -> None:
    counted = limited(clock).count()

    exact = (clock.now() + timedelta(hours=1)).timestamp()
    assert exact < counted.reset_unix < exact + 1


def test_a_caller_over_a_limit_costs_the_store_one_question_a_second(
    clock: SettableClock,
) -> None:
    one = limited(clock, upload_url_per_minute_and_key=1)
    one.count(Bucket.UPLOAD_URL)
    for _ in range(5):
        assert one.count(Bucket.UPLOAD_URL).retry_after_s == 60
    assert one.store.asked == 2

    # Others are still asked for, and so is everything else of the same key.
    assert one.count(Bucket.UPLOAD_URL, "key_b").retry_after_s is None
    assert one.count().retry_after_s is None
    assert one.store.asked == 4

    clock.move(timedelta(seconds=1))
    assert one.count(Bucket.UPLOAD_URL).retry_after_s == 59
    assert one.store.asked == 5


def test_a_refusal_does_not_outlast_its_limit(clock: SettableClock) -> None:
    one = limited(clock, upload_url_per_minute_and_key=1)
    one.count(Bucket.UPLOAD_URL)
    clock.move(timedelta(seconds=59.5))
    assert one.count(Bucket.UPLOAD_URL).retry_after_s == 1

    clock.move(timedelta(seconds=0.5))

    assert one.count(Bucket.UPLOAD_URL).retry_after_s is None


def test_without_the_store_requests_pass_and_uploads_do_not(
    clock: SettableClock,
) -> None:
    world = limited(clock)
    world.store.is_down = True
    count = world.limits.count

    of_others = {Bucket.SIGN_INS, Bucket.SIGN_IN_MAILS, Bucket.BULK_QUESTIONS}
    for bucket in (None, *set(Bucket) - {Bucket.UPLOAD_URL, *of_others}):
        assert count(org_id="org_a", key_id="key_a", bucket=bucket) is None
    with pytest.raises(UnavailableError, match="cannot be granted") as refused:
        count(org_id="org_a", key_id="key_a", bucket=Bucket.UPLOAD_URL)

    assert int(refused.value.headers["Retry-After"]) >= 1


def test_requests_counted_meanwhile_are_counted_the_same(clock: SettableClock) -> None:
    world = limited(clock, api_per_hour=102)

    results = [world.begin() for _ in range(103)]

    assert [counted.shown.remaining for counted in results] == [*range(101, -1, -1), 0]
    assert [counted.retry_after_s for counted in results] == [None] * 102 + [3600]


def test_a_store_that_breaks_meanwhile_lets_reads_pass(clock: SettableClock) -> None:
    world = limited(clock)
    world.begin()
    world.store.is_down = True

    for _ in range(3):
        assert world.limits.begin_to_count(org_id="org_a")() is None
    assert world.store.asked == 2


def test_a_broken_store_is_asked_once_a_second(clock: SettableClock) -> None:
    world = limited(clock)
    world.store.is_down = True

    for _ in range(100):
        world.limits.count(org_id="org_a", key_id="key_a", bucket=None)
    assert world.store.asked == 1

    clock.move(timedelta(seconds=1))
    for _ in range(100):
        world.limits.count(org_id="org_a", key_id="key_a", bucket=None)
    assert world.store.asked == 2


def test_limits_are_back_within_a_second(clock: SettableClock) -> None:
    world = limited(clock)
    world.store.is_down = True
    world.limits.count(org_id="org_a", key_id="key_a", bucket=None)

    world.store.is_down = False
    clock.move(timedelta(seconds=1))

    assert world.count().shown.remaining == 9_999
    assert world.count(Bucket.UPLOAD_URL).shown.remaining == 9


def test_a_clock_that_was_set_back_does_not_end_the_limits(
    clock: SettableClock,
) -> None:
    world = limited(clock)
    world.store.is_down = True
    world.limits.count(org_id="org_a", key_id="key_a", bucket=None)

    world.store.is_down = False
    clock.move(timedelta(hours=-5))

    world.count()


def test_an_outage_is_logged_once_a_minute(
    clock: SettableClock, caplog: pytest.LogCaptureFixture
) -> None:
    world = limited(clock)
    world.store.is_down = True

    def errors_after(seconds: int) -> int:
        for _ in range(seconds):
            clock.move(timedelta(seconds=1))
            world.limits.count(org_id="org_a", key_id="key_a", bucket=None)
        return sum(r.levelno == logging.ERROR for r in caplog.records)

    assert errors_after(59) == 1
    assert errors_after(3) == 2
