"""The promises of a store for what it counts, and for what it answers."""

from datetime import timedelta

from hvcore.clock import Clock
from hvcore.domain.access.rate_limits import Bucket
from hvcore.ports.rate_limit import RateLimitStore
from hvcore.testing.rate_limits.kit import RateLimitKit, let_pass, rule

_SUBJECTS = (
    *("org_a", "org_A", "org_", "org_aa", "a", "", " ", "org_a ", "é", "e\u0301"),
    *("2001:db8::1", "192.0.2.7", "oidc Ann Müller", "a/b", "a:b", "a\nb", "x" * 300),
    *("192.0.2.7:443", "192.0.2.7:80", "[2001:db8::1]:443", "2001:db8::2", "a:c"),
    *("x" * 299 + "y", "y" + "x" * 299, "x" * 301, "é" * 300, "é" * 299 + "è"),
    *("{org_a}", "*", "org_?", "%", "org%", "-of-key", "key", "'", '"', "\\"),
)
_ABOUT = timedelta(seconds=5)


class CountPromises(RateLimitKit):
    """Exact counts, all rules or none, and states that say where they stand."""

    def test_requests_pass_until_the_limit_and_no_further(
        self, store: RateLimitStore
    ) -> None:
        """The states say how many remain."""
        answers = [store.hit([rule(3)])[0] for _ in range(5)]

        assert [state.is_allowed for state in answers] == [True] * 3 + [False] * 2
        assert [state.remaining for state in answers] == [2, 1, 0, 0, 0]

    def test_a_hit_that_one_rule_refuses_counts_under_no_rule(
        self, store: RateLimitStore
    ) -> None:
        """Wherever the rule stands that refuses."""
        tight, wide = rule(1, bucket=Bucket.UPLOAD_URL), rule(10)
        third = rule(20, subject="key_a")
        store.hit([tight, wide, third])

        for rules in ([tight, wide, third], [third, wide, tight], [wide, tight]):
            states = {state.rule: state for state in store.hit(rules)}

            assert not states[tight].is_allowed
            assert states[wide].is_allowed
            assert (states[tight].remaining, states[wide].remaining) == (0, 9)
        assert store.hit([wide])[0].remaining == 8
        assert store.hit([third])[0].remaining == 18

    def test_states_come_in_the_order_of_the_rules(self, store: RateLimitStore) -> None:
        """One for each, also for those behind a rule that refuses."""
        rules = [rule(2, bucket=Bucket.UPLOAD_URL), rule(1, subject="key_a"), rule(5)]
        first, refused = store.hit(rules), store.hit(rules)

        assert [state.rule for state in first] == rules
        assert [state.remaining for state in first] == [1, 0, 4]
        assert [state.rule for state in refused] == rules
        assert [state.is_allowed for state in refused] == [True, False, True]
        assert [state.remaining for state in refused] == [1, 0, 4]

    def test_subjects_have_windows_of_their_own(self, store: RateLimitStore) -> None:
        """Two organizations, addresses with ports, texts that look alike, and long ones."""
        for subject in _SUBJECTS:
            state = store.hit([rule(2, subject=subject)])[0]
            assert (state.is_allowed, state.remaining) == (True, 1), subject
        for subject in _SUBJECTS:
            assert store.hit([rule(2, subject=subject)])[0].remaining == 0, subject
            assert not store.hit([rule(2, subject=subject)])[0].is_allowed, subject

    def test_buckets_have_windows_of_their_own(self, store: RateLimitStore) -> None:
        """Buckets and subjects whose joined names are equal stay apart."""
        pairs = [(bucket, "org_a") for bucket in Bucket]
        pairs += [(Bucket.UPLOAD_URL, "-of-keyorg_a"), (Bucket.API, "/api")]
        for bucket, subject in pairs:
            state = store.hit([rule(1, bucket=bucket, subject=subject)])[0]
            assert state.is_allowed, (bucket, subject)
        for bucket, subject in pairs:
            assert not store.hit([rule(1, bucket=bucket, subject=subject)])[
                0
            ].is_allowed

    def test_a_reset_is_when_the_oldest_leaves(
        self, store: RateLimitStore, clock: Clock
    ) -> None:
        """In UTC, and the same whether the rule lets through or refuses."""
        expected = clock.now() + timedelta(hours=1)
        states = [store.hit([rule(2)])[0] for _ in range(3)]

        for state in states:
            assert state.reset_at.utcoffset() == timedelta(0), "not in UTC"
            assert abs(state.reset_at - expected) < _ABOUT
        assert len({state.reset_at for state in states}) == 1

    def test_a_refusal_elsewhere_leaves_an_empty_window_empty(
        self, store: RateLimitStore, clock: Clock
    ) -> None:
        """The whole limit of the empty window remains."""
        store.hit([rule(1)])
        _, untouched = store.hit([rule(1), rule(4, subject="org_b")])

        assert (untouched.is_allowed, untouched.remaining) == (True, 4)
        since_now = untouched.reset_at - clock.now()
        assert -_ABOUT < since_now < timedelta(hours=1) + _ABOUT
        assert store.hit([rule(4, subject="org_b")])[0].remaining == 3

    def test_a_limit_may_change(self, store: RateLimitStore, clock: Clock) -> None:
        """A lowered one waits for enough to leave; a raised one lets through at once."""
        for _ in range(5):
            store.hit([rule(5)])
            let_pass(clock, timedelta(milliseconds=10))
        moments = [store.hit([rule(n)])[0].reset_at for n in (5, 4, 3, 2, 1)]
        refused, raised = store.hit([rule(2)])[0], store.hit([rule(7)])[0]

        assert (refused.is_allowed, refused.remaining) == (False, 0)
        # The fewer are allowed, the more have to leave before.
        assert moments == sorted(set(moments))
        assert (raised.is_allowed, raised.remaining) == (True, 1)

    def test_a_limit_of_none_lets_nothing_pass(
        self, store: RateLimitStore, clock: Clock
    ) -> None:
        """Nor does it break what is beside it."""
        refused, free = store.hit([rule(0), rule(3, subject="org_b")])

        assert (refused.is_allowed, refused.remaining) == (False, 0)
        assert refused.reset_at > clock.now()
        assert (free.is_allowed, free.remaining) == (True, 3)

    def test_a_hit_that_was_begun_counts_like_other_hits(
        self, store: RateLimitStore
    ) -> None:
        """Once each, in whatever order the answers are waited for."""
        several = [store.begin_hit([rule(3), rule(9, subject="key")]) for _ in range(3)]
        refused = store.begin_hit([rule(3), rule(9, subject="key")])
        answers = [end() for end in reversed(several)]

        assert sorted(states[0].remaining for states in answers) == [0, 1, 2]
        assert not refused()[0].is_allowed
        assert store.hit([rule(9, subject="key")])[0].remaining == 5
