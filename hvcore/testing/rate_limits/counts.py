"""The promises of a rate limit store about counts and the states that it returns."""

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
    """The promises of a rate limit store: counts are exact, and a hit counts under all rules or under none."""

    def test_requests_pass_until_the_limit_and_no_further(
        self, store: RateLimitStore
    ) -> None:
        """Hits are allowed up to the limit, and each state tells the number that remains."""
        answers = [store.hit([rule(3)])[0] for _ in range(5)]

        assert [state.is_allowed for state in answers] == [True] * 3 + [False] * 2
        assert [state.remaining for state in answers] == [2, 1, 0, 0, 0]

    def test_a_hit_that_one_rule_refuses_counts_under_no_rule(
        self, store: RateLimitStore
    ) -> None:
        """A hit that one rule refuses counts under no rule, wherever that rule stands in the list."""
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

    def test_several_equal_rules_are_several_requests(
        self, store: RateLimitStore
    ) -> None:
        """A hit under equal rules counts once for each of them, and under none if the rule refuses."""
        store.hit([rule(3)] * 2)

        refused = store.hit([rule(2)] * 2)

        assert [state.is_allowed for state in refused] == [False, False]
        assert store.hit([rule(3)])[0].remaining == 0

    def test_states_come_in_the_order_of_the_rules(self, store: RateLimitStore) -> None:
        """A hit returns one state for each rule in the given order, also behind a rule that refuses."""
        rules = [rule(2, bucket=Bucket.UPLOAD_URL), rule(1, subject="key_a"), rule(5)]
        first, refused = store.hit(rules), store.hit(rules)

        assert [state.rule for state in first] == rules
        assert [state.remaining for state in first] == [1, 0, 4]
        assert [state.rule for state in refused] == rules
        assert [state.is_allowed for state in refused] == [True, False, True]
        assert [state.remaining for state in refused] == [1, 0, 4]

    def test_subjects_have_windows_of_their_own(self, store: RateLimitStore) -> None:
        """Each subject has windows of its own, also if subjects look alike, have ports or are long."""
        for subject in _SUBJECTS:
            state = store.hit([rule(2, subject=subject)])[0]
            assert (state.is_allowed, state.remaining) == (True, 1), subject
        for subject in _SUBJECTS:
            assert store.hit([rule(2, subject=subject)])[0].remaining == 0, subject
            assert not store.hit([rule(2, subject=subject)])[0].is_allowed, subject

    def test_buckets_have_windows_of_their_own(self, store: RateLimitStore) -> None:
        """Each bucket has windows of its own, also if bucket and subject joined give the same text."""
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
        """The reset time is in UTC and is when the oldest hit leaves the window, whether the hit is allowed or not."""
        expected = clock.now() + timedelta(hours=1)
        states = [store.hit([rule(2)])[0] for _ in range(3)]

        for state in states:
            assert state.reset_at.utcoffset() == timedelta(0), "not in UTC"
            assert abs(state.reset_at - expected) < _ABOUT
        assert len({state.reset_at for state in states}) == 1

    def test_a_refusal_elsewhere_leaves_an_empty_window_empty(
        self, store: RateLimitStore, clock: Clock
    ) -> None:
        """A hit that another rule refuses leaves an empty window empty, with its whole limit."""
        store.hit([rule(1)])
        _, untouched = store.hit([rule(1), rule(4, subject="org_b")])

        assert (untouched.is_allowed, untouched.remaining) == (True, 4)
        since_now = untouched.reset_at - clock.now()
        assert -_ABOUT < since_now < timedelta(hours=1) + _ABOUT
        assert store.hit([rule(4, subject="org_b")])[0].remaining == 3

    def test_a_limit_may_change(self, store: RateLimitStore, clock: Clock) -> None:
        """A lowered limit refuses until enough hits have left the window; a raised limit allows at once."""
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
        """A limit of 0 refuses every hit, and does not disturb other rules."""
        refused, free = store.hit([rule(0), rule(3, subject="org_b")])

        assert (refused.is_allowed, refused.remaining) == (False, 0)
        assert refused.reset_at > clock.now()
        assert (free.is_allowed, free.remaining) == (True, 3)

    def test_a_hit_that_was_begun_counts_like_other_hits(
        self, store: RateLimitStore
    ) -> None:
        """Hits that ``begin_hit`` began count once each, in whatever order their answers are read."""
        several = [store.begin_hit([rule(3), rule(9, subject="key")]) for _ in range(3)]
        refused = store.begin_hit([rule(3), rule(9, subject="key")])
        answers = [end() for end in reversed(several)]

        assert sorted(states[0].remaining for states in answers) == [0, 1, 2]
        assert not refused()[0].is_allowed
        assert store.hit([rule(9, subject="key")])[0].remaining == 5
