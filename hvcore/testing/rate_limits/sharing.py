"""The promises of a store for threads, processes, and a server that is gone."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

from hvcore.domain.access.rate_limits import Bucket
from hvcore.ports.rate_limit import RateLimitStore
from hvcore.testing.children import held_at, in_children, is_unavailable
from hvcore.testing.rate_limits.kit import RateLimitKit, ReopenedStore, rule

_THREADS: Final = 16
_PROCESSES: Final = 3
_HITS: Final = 600
_LIMIT: Final = 250
_LINES: Final = 60
"""The first lines of a call, between which others come."""


class SharingPromises(RateLimitKit):
    """Exact, however many count at once, and never silent."""

    def test_two_at_once_are_counted_one_after_the_other(
        self, store: RateLimitStore
    ) -> None:
        """Wherever one thread is when another comes in between."""
        wide = rule(10_000, subject="wide")
        for line in range(1, _LINES):
            last, two = rule(1, subject=f"last {line}"), rule(2, subject=f"two {line}")
            lasts = held_at(line, *[partial(store.hit, [last, wide])] * 2)
            twos = held_at(line, *[partial(store.hit, [two])] * 2)
            if lasts is None or twos is None:
                break

            assert sum(states[0].is_allowed for states in lasts) == 1, line
            assert sorted(states[0].remaining for states in twos) == [0, 1], line
            assert store.hit([wide])[0].remaining == 10_000 - 2 * line, line

    def test_threads_are_counted_exactly(self, store: RateLimitStore) -> None:
        """Under all rules, or under none."""
        rules = [rule(_LIMIT, bucket=Bucket.VIDEO_OPERATIONS), rule(10_000)]
        with ThreadPoolExecutor(_THREADS) as pool:
            answers = list(pool.map(lambda _: store.hit(rules), range(_HITS)))
        allowed = [states for states in answers if all(s.is_allowed for s in states)]

        assert len(allowed) == _LIMIT
        # Each was told another number: none counted the same place twice.
        assert sorted(tight.remaining for tight, _ in allowed) == list(range(_LIMIT))
        assert store.hit([rule(10_000)])[0].remaining == 10_000 - _LIMIT - 1

    def test_processes_are_counted_exactly(
        self, store: RateLimitStore, reopened: ReopenedStore
    ) -> None:
        """All processes that share the store have one limit."""
        rules = [rule(_LIMIT, bucket=Bucket.VIDEO_OPERATIONS), rule(10_000)]

        def work(_: int) -> str:
            own = reopened()
            with ThreadPoolExecutor(4) as pool:
                answers = list(pool.map(lambda _: own.hit(rules), range(150)))
            own.close()
            return str(sum(all(s.is_allowed for s in states) for states in answers))

        works: list[Callable[[], str]] = [partial(work, n) for n in range(_PROCESSES)]
        allowed = [int(told) for told in in_children(works)]

        assert sum(allowed) == _LIMIT
        assert store.hit([rule(10_000)])[0].remaining == 10_000 - _LIMIT - 1

    def test_another_process_goes_on_counting(
        self, store: RateLimitStore, reopened: ReopenedStore
    ) -> None:
        """Counts survive the one that counted; to close a store forgets nothing."""
        other = reopened()
        store.hit([rule(3)])
        seen = other.hit([rule(3)])[0].remaining
        store.close()
        last = reopened()

        assert seen == 1
        assert last.hit([rule(3)])[0].remaining == 0
        assert not other.hit([rule(3)])[0].is_allowed

    def test_a_store_that_works_can_be_pinged(self, store: RateLimitStore) -> None:
        """That counts nothing."""
        store.ping()
        store.ping()

        assert store.hit([rule(2)])[0].remaining == 1

    def test_a_store_that_is_gone_is_unavailable(
        self, unreachable: RateLimitStore
    ) -> None:
        """In time, by the port's own error, and nobody passes unseen."""
        calls: dict[str, Callable[[], object]] = {
            "hit": lambda: unreachable.hit([rule(3), rule(9, subject="key")]),
            "begin_hit": lambda: list(unreachable.begin_hit([rule(3)])()),
            "ping": unreachable.ping,
            "hit again": lambda: unreachable.hit([rule(3)]),
        }

        for name, call in calls.items():
            assert is_unavailable(self.gives_up_within_s, call), f"{name} answered"
        unreachable.close()
