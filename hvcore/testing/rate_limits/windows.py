"""The promises of a rate limit store about the time for which a hit counts."""

from datetime import timedelta

from hvcore.clock import Clock
from hvcore.ports.rate_limit import RateLimitStore
from hvcore.testing.fakes import SettableClock
from hvcore.testing.rate_limits.kit import RateLimitKit, let_pass, rule

_HALF = timedelta(seconds=1)
_WINDOW_S = 2
_ROUNDED = timedelta(milliseconds=2)
_LENGTHS_S = (1, 59, 60, 90, 3_600, 86_399, 86_400, 86_401, 2_678_400, 31_536_000)


class WindowPromises(RateLimitKit):
    """The promises of a rate limit store about sliding windows."""

    def test_a_window_slides(self, store: RateLimitStore, clock: Clock) -> None:
        """Each hit leaves the window by itself, one window length after it came."""
        sliding = rule(2, window_s=_WINDOW_S)
        store.hit([sliding])
        let_pass(clock, _HALF)
        store.hit([sliding])
        refused = store.hit([sliding])[0]
        let_pass(clock, _HALF)
        # The first has left, the second has not.
        again, full = store.hit([sliding])[0], store.hit([sliding])[0]

        assert not refused.is_allowed
        assert (again.is_allowed, again.remaining) == (True, 0)
        assert not full.is_allowed
        assert full.reset_at > refused.reset_at

    def test_a_refused_hit_holds_nobody_up(
        self, store: RateLimitStore, clock: Clock
    ) -> None:
        """Refused hits do not lengthen the wait: a caller that keeps asking passes as soon as one that waits."""
        one = rule(1, window_s=_WINDOW_S)
        store.hit([one])
        let_pass(clock, _HALF)
        refused = [store.hit([one])[0] for _ in range(3)]
        let_pass(clock, _HALF)

        assert not any(state.is_allowed for state in refused)
        assert store.hit([one])[0].is_allowed

    def test_a_request_counts_for_exactly_one_window(
        self, store: RateLimitStore, clock: Clock
    ) -> None:
        """A hit counts for exactly one window length: to the millisecond with a settable clock, else to half a second."""
        is_settable = isinstance(clock, SettableClock)
        edge = timedelta(milliseconds=1) if is_settable else timedelta(seconds=0.5)
        window = timedelta(seconds=_WINDOW_S)
        store.hit([rule(1, window_s=_WINDOW_S)])
        let_pass(clock, window - edge)
        before = store.hit([rule(1, window_s=_WINDOW_S)])[0]
        let_pass(clock, edge)
        after = store.hit([rule(1, window_s=_WINDOW_S)])[0]

        assert (before.is_allowed, after.is_allowed) == (False, True)

    def test_a_reset_is_when_the_next_one_passes(
        self, store: RateLimitStore, clock: Clock
    ) -> None:
        """A refused hit passes after its reset time."""
        one = rule(1, window_s=_WINDOW_S)
        store.hit([one])
        let_pass(clock, timedelta(seconds=0.5))
        refused = store.hit([one])[0]
        left = refused.reset_at - clock.now()

        assert timedelta(0) < left <= timedelta(seconds=_WINDOW_S - 0.4)
        let_pass(clock, left + timedelta(milliseconds=50))
        assert store.hit([one])[0].is_allowed

    def test_windows_of_every_length_end_when_they_say(
        self, store: RateLimitStore, clock: Clock
    ) -> None:
        """Windows from a second to a year end exactly on time; tested only with a settable clock."""
        if not isinstance(clock, SettableClock):
            return
        for window_s in _LENGTHS_S:
            one = rule(1, window_s=window_s, subject=f"of {window_s} s")
            begun = clock.now()
            first = store.hit([one])[0]
            let_pass(clock, timedelta(seconds=window_s, milliseconds=-1))
            before = store.hit([one])[0]
            let_pass(clock, timedelta(milliseconds=1))
            after = store.hit([one])[0]

            allowed = (first.is_allowed, before.is_allowed, after.is_allowed)
            assert allowed == (True, False, True), window_s
            resets_in = before.reset_at - begun
            assert abs(resets_in - timedelta(seconds=window_s)) < _ROUNDED

    def test_long_and_short_windows_count_beside_each_other(
        self, store: RateLimitStore, clock: Clock
    ) -> None:
        """A hit that has left a short window still counts in a long one."""
        short = rule(1, window_s=1, subject="short")
        long = rule(9, window_s=31 * 24 * 3600, subject="long")
        store.hit([short, long])
        let_pass(clock, timedelta(seconds=1.1))
        again = store.hit([short, long])

        assert [state.is_allowed for state in again] == [True, True]
        assert [state.remaining for state in again] == [0, 7]
