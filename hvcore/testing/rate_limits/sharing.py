"""The promises of a rate limit store about threads, processes, and a server that is gone."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count
from typing import Final

from hvcore.domain.access.rate_limits import Bucket, RateLimitRule
from hvcore.ports.rate_limit import RateLimitStore
from hvcore.testing.children import in_children, is_unavailable, spread
from hvcore.testing.held_calls import held_at, lines_of
from hvcore.testing.kit import may_leave
from hvcore.testing.raised_errors import (
    BrokenOffCall,
    FilesOf,
    break_off_at_each_line,
)
from hvcore.testing.rate_limits.kit import RateLimitKit, ReopenedStore, rule

_THREADS: Final = 16
_PROCESSES: Final = 3
_HITS: Final = 600
_LIMIT: Final = 250
_BREAKS: Final = 160
_LINES: Final = 60
"""The number of first lines of a call at which another call runs in between."""


class SharingPromises(RateLimitKit):
    """The promises of a rate limit store that several threads and processes use, and that may be unreachable."""

    def test_two_at_once_are_counted_one_after_the_other(
        self, store: RateLimitStore
    ) -> None:
        """Two hits at the same time are counted one after the other, at whatever line of code one waits."""
        wide = rule(10_000, subject="wide")
        for line in range(1, _LINES):
            last, two = rule(1, subject=f"last {line}"), rule(2, subject=f"two {line}")
            with held_at(line) as hold:
                lasts = hold(*[partial(store.hit, [last, wide])] * 2)
                twos = hold(*[partial(store.hit, [two])] * 2)
                if lasts is None or twos is None:
                    break

                allowed = sum(states[0].is_allowed for states in lasts)
                assert allowed == 1, f"one hit is left, and {allowed} of two pass"
                left = sorted(states[0].remaining for states in twos)
                assert left == [0, 1], "two hits are told the same number"
                wide_left = store.hit([wide])[0].remaining
                assert wide_left == 10_000 - 2 * line, "a hit that was refused counts"

    def test_another_store_in_the_middle_of_a_hit_is_counted_before_or_after_it(
        self, store: RateLimitStore, reopened: ReopenedStore
    ) -> None:
        """Hits of two stores on the same data at the same time are counted one after the other, at whatever line of code one waits."""
        other, is_counted = reopened(), FilesOf([store])
        wide = rule(10_000, subject="wide")
        # The first one does what is done once.
        for _ in range(2):
            lines = lines_of(partial(store.hit, [wide]), is_counted=is_counted)
        for line in spread(lines, at_most=_LINES):
            last = rule(1, subject=f"last {line}")
            with held_at(line, is_counted=is_counted) as hold:
                both = hold(*[partial(each.hit, [last]) for each in (store, other)])
                allowed = sum(states[0].is_allowed for states in both or ())
                assert allowed == 1 or both is None, (
                    f"one hit is left, and {allowed} of two pass"
                )

    def test_threads_are_counted_exactly(self, store: RateLimitStore) -> None:
        """Hits of many threads are counted exactly, under all rules or under none."""
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
        """Processes that share a store share one limit, which is kept exactly."""
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
        """Counts of a closed store stay, and other processes go on with them."""
        other = reopened()
        store.hit([rule(3)])
        seen = other.hit([rule(3)])[0].remaining
        store.close()
        last = reopened()

        assert seen == 1
        assert last.hit([rule(3)])[0].remaining == 0
        assert not other.hit([rule(3)])[0].is_allowed

    def test_stores_of_other_data_share_nothing(
        self, store: RateLimitStore, elsewhere: RateLimitStore
    ) -> None:
        """Two stores of one process on other data count independently."""
        one = rule(2)
        found = [each.hit([one])[0].remaining for each in (store, elsewhere) * 2]
        refused = [store.hit([one])[0], elsewhere.hit([one])[0]]

        assert found == [1, 1, 0, 0]
        assert not any(state.is_allowed for state in refused)

    def test_tenants_do_not_use_up_each_other_s_windows(
        self, store: RateLimitStore, reopened_or_same: RateLimitStore
    ) -> None:
        """Hits of an organization and its keys do not use up the windows of other organizations and keys."""
        keys = {"org_a": ("key_a", "key_b"), "org_b": ("key_c", "key_d")}
        for turn in range(3):
            for org, own in keys.items():
                for key in own:
                    side = (store, reopened_or_same)[turn % 2]
                    rules = [rule(3, subject=key), rule(5, subject=org)]
                    states = side.hit(rules)
                    # Four of the organization pass in two turns, and the fifth.
                    used = 2 * turn + own.index(key) + 1
                    assert states[1].is_allowed == (used <= 5), (org, key, turn)
                    assert states[1].remaining == max(0, 5 - used)
                    of_key = turn + (used <= 5)
                    assert states[0].remaining == 3 - of_key, (org, key, turn)

    @may_leave("open files", "descriptors", "files")
    def test_an_error_in_the_middle_of_a_hit_is_passed_on_and_counts_all_or_none(
        self, store: RateLimitStore
    ) -> None:
        """An error at any line of a hit reaches the caller; the hit counts under every rule or under none."""
        numbers, rules = count(), list[RateLimitRule]()

        def choose_windows() -> None:
            # Empty ones: a call has the same lines each time.
            number = next(numbers)
            names = (f"key {number}", f"org {number}")
            rules[:] = [rule(10, subject=name) for name in names]

        def look(ended: BrokenOffCall[object]) -> None:
            remaining = {state.remaining for state in store.hit(rules)}
            assert len(remaining) == 1, "one rule has counted, and the other has not"
            if ended.error is None:
                assert remaining == {8}, "it returned, and counted nothing"
            assert remaining <= {8, 9}, "not each of two hits was counted once"

        break_off_at_each_line(
            lambda: store.hit(rules),
            backends=[store],
            before=choose_windows,
            look=look,
            at_most=_BREAKS,
        )

    def test_a_store_that_works_can_be_pinged(self, store: RateLimitStore) -> None:
        """A ping of a working store succeeds and counts no hit."""
        store.ping()
        store.ping()

        assert store.hit([rule(2)])[0].remaining == 1

    def test_a_store_that_is_gone_is_unavailable(
        self, unreachable: RateLimitStore
    ) -> None:
        """A store whose server is gone raises UnavailableError in time, and allows no hit."""
        calls: dict[str, Callable[[], object]] = {
            "hit": lambda: unreachable.hit([rule(3), rule(9, subject="key")]),
            "begin_hit": lambda: list(unreachable.begin_hit([rule(3)])()),
            "ping": unreachable.ping,
            "hit again": lambda: unreachable.hit([rule(3)]),
        }

        for name, call in calls.items():
            assert is_unavailable(self.gives_up_within_s, call), f"{name} answered"
        unreachable.close()
