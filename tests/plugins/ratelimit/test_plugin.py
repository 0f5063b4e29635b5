"""
What every store of moving windows promises; the same tests run on both.
"""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from hvcore.clock import SystemClock
from hvcore.plugin_api import Bucket, BuildContext, RateLimitStore
from hvcore_ratelimit.plugin import MovingWindowOptions, build
from tests.plugins.ratelimit.hitting import rule
from tests.support.servers import wait_until


class Context:
    clock = SystemClock()


CONTEXT: BuildContext = Context()  # type: ignore[assignment]  # the factory looks at the clock alone


@pytest.fixture(
    params=["memory", pytest.param("shared", marks=pytest.mark.services)],
)
def store(request: pytest.FixtureRequest) -> Iterator[RateLimitStore]:
    url = request.getfixturevalue("redis_url") if request.param == "shared" else ""
    made = build(MovingWindowOptions(url=url), CONTEXT)
    yield made
    made.close()


def test_requests_pass_until_the_limit_and_no_further(store: RateLimitStore) -> None:
    answers = [store.hit([rule(3)])[0] for _ in range(5)]

    assert [state.is_allowed for state in answers] == [True, True, True, False, False]
    assert [state.remaining for state in answers] == [2, 1, 0, 0, 0]


def test_what_is_refused_by_one_rule_counts_under_none(store: RateLimitStore) -> None:
    tight, wide = rule(1, bucket=Bucket.UPLOAD_URL), rule(10)
    store.hit([tight, wide])

    for _ in range(5):
        refused, free = store.hit([tight, wide])

        assert not refused.is_allowed
        assert free.is_allowed
        assert (refused.remaining, free.remaining) == (0, 9)

    assert store.hit([wide])[0].remaining == 8


def test_a_hit_that_was_begun_counts_like_other_hits(store: RateLimitStore) -> None:
    several = [store.begin_hit([rule(3)]) for _ in range(3)]
    refused = store.begin_hit([rule(3)])

    assert sorted(end()[0].remaining for end in several) == [0, 1, 2]
    assert not refused()[0].is_allowed


def test_subjects_and_buckets_have_windows_of_their_own(store: RateLimitStore) -> None:
    store.hit([rule(1)])

    assert not store.hit([rule(1)])[0].is_allowed
    assert store.hit([rule(1, subject="org_b")])[0].is_allowed
    assert store.hit([rule(1, bucket=Bucket.ANALYTICS)])[0].is_allowed


def test_states_come_in_the_order_of_the_rules(store: RateLimitStore) -> None:
    rules = [rule(2, bucket=Bucket.UPLOAD_URL), rule(5), rule(9, subject="key_a")]

    states = store.hit(rules)

    assert [state.rule for state in states] == rules
    assert [state.remaining for state in states] == [1, 4, 8]


def test_a_window_slides(store: RateLimitStore) -> None:
    begun = time.monotonic()
    store.hit([rule(2, window_s=1)])
    wait_until(lambda: time.monotonic() > begun + 0.5)
    store.hit([rule(2, window_s=1)])
    assert not store.hit([rule(2, window_s=1)])[0].is_allowed

    wait_until(lambda: store.hit([rule(2, window_s=1)])[0].is_allowed)

    # The first has left, the second has not.
    assert 1 <= time.monotonic() - begun < 1.5
    assert not store.hit([rule(2, window_s=1)])[0].is_allowed


def test_a_reset_is_when_the_oldest_leaves(store: RateLimitStore) -> None:
    begun = datetime.now(UTC)
    first = store.hit([rule(2)])[0]
    last = store.hit([rule(2)])[0]
    refused = store.hit([rule(2)])[0]

    # The moments of two stores differ in rounding only.
    expected = begun + timedelta(hours=1)
    for state in (first, last, refused):
        assert abs(state.reset_at - expected) < timedelta(seconds=2)
    assert first.reset_at == last.reset_at == refused.reset_at


def test_a_refusal_elsewhere_leaves_an_empty_window_empty(
    store: RateLimitStore,
) -> None:
    store.hit([rule(1)])

    _, untouched = store.hit([rule(1), rule(4, subject="org_b")])

    assert untouched.remaining == 4
    assert abs(untouched.reset_at - datetime.now(UTC)) < timedelta(seconds=2)


def test_a_limit_that_was_lowered_waits_for_enough_to_leave(
    store: RateLimitStore,
) -> None:
    for _ in range(5):
        store.hit([rule(5)])
    moments = [store.hit([rule(n)])[0].reset_at for n in (5, 4, 3, 2, 1)]

    refused = store.hit([rule(2)])[0]

    assert not refused.is_allowed
    assert refused.remaining == 0
    # The fewer are allowed, the more have to leave before.
    assert moments == sorted(moments)
    assert moments[0] < moments[-1]


def test_a_limit_of_none_lets_nothing_pass(store: RateLimitStore) -> None:
    refused = store.hit([rule(0)])[0]

    assert not refused.is_allowed
    assert refused.remaining == 0
    assert refused.reset_at > datetime.now(UTC)


def test_a_thousand_at_once_are_counted_exactly(store: RateLimitStore) -> None:
    rules = [rule(400, bucket=Bucket.VIDEO_OPERATIONS), rule(10_000)]

    with ThreadPoolExecutor(32) as pool:
        answers = list(pool.map(lambda _: store.hit(rules), range(1_000)))

    assert sum(tight.is_allowed for tight, _ in answers) == 400
    assert store.hit([rule(10_000)])[0].remaining == 10_000 - 401


def test_a_store_that_answers_can_be_pinged(store: RateLimitStore) -> None:
    store.ping()
