"""
Stores of rate limits in memory: a right one, and some that are wrong in one way each.
"""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import repeat
from typing import ClassVar, Final

import attrs

from hvcore.clock import Clock
from hvcore.errors import UnavailableError
from hvcore.plugin_api import RateLimitRule, RateLimitState, RateLimitStore

Windows = dict[tuple[str, str], list[datetime]]
States = Sequence[RateLimitState]
_LOCK: Final = threading.RLock()


class MemoryLimits(RateLimitStore):
    """
    Counts for one process; stores of the same dictionary count together.
    """

    def __init__(self, clock: Clock, windows: Windows) -> None:
        self.clock = clock
        self.windows = windows
        self.is_down = False
        self.lock = _LOCK

    def hit(self, rules: Sequence[RateLimitRule]) -> States:
        self.ping()
        with self.lock:
            return self.counted(rules, self.clock.now())

    def counted(self, rules: Sequence[RateLimitRule], now: datetime) -> States:
        windows = [self.window(rule, now) for rule in rules]
        allowed = [
            len(window) < rule.limit.requests
            for rule, window in zip(rules, windows, strict=True)
        ]
        if all(allowed):
            self.append(windows, now)
        return [
            self.state(rule, window, now, is_allowed=is_allowed)
            for rule, window, is_allowed in zip(rules, windows, allowed, strict=True)
        ]

    def append(self, windows: Sequence[list[datetime]], now: datetime) -> None:
        # In one line: an error comes before or after it.
        deque(map(list.append, windows, repeat(now)), maxlen=0)

    def window(self, rule: RateLimitRule, now: datetime) -> list[datetime]:
        window = self.windows.setdefault(self.key(rule), [])
        begin = now - timedelta(seconds=rule.limit.window_s)
        window[:] = [at for at in window if self.is_within(at, begin)]
        return window

    def key(self, rule: RateLimitRule) -> tuple[str, str]:
        return rule.limit.bucket.value, rule.subject

    def is_within(self, at: datetime, begin: datetime) -> bool:
        return at > begin

    def state(
        self,
        rule: RateLimitRule,
        window: list[datetime],
        now: datetime,
        *,
        is_allowed: bool,
    ) -> RateLimitState:
        limit = rule.limit
        surplus = max(0, len(window) - max(1, limit.requests))
        length = timedelta(seconds=limit.window_s)
        reset_at = window[surplus] + length if window else now
        if not window and not limit.requests:
            reset_at = now + length
        return RateLimitState(
            rule=rule,
            is_allowed=is_allowed,
            remaining=max(0, limit.requests - len(window)),
            reset_at=reset_at,
        )

    def ping(self) -> None:
        if self.is_down:
            raise UnavailableError("The store does not answer.")


class LetsOneMorePass(MemoryLimits):
    def hit(self, rules: Sequence[RateLimitRule]) -> States:
        raised = [
            attrs.evolve(r, limit=attrs.evolve(r.limit, requests=r.limit.requests + 1))
            for r in rules
        ]
        states = super().hit(raised)
        return [attrs.evolve(s, rule=r) for s, r in zip(states, rules, strict=True)]


class TellsWhatRemainedBefore(MemoryLimits):
    def hit(self, rules: Sequence[RateLimitRule]) -> States:
        states = super().hit(rules)
        return [attrs.evolve(s, remaining=s.remaining + s.is_allowed) for s in states]


class CountsRuleByRule(MemoryLimits):
    def counted(self, rules: Sequence[RateLimitRule], now: datetime) -> States:
        return [s for rule in rules for s in MemoryLimits.counted(self, [rule], now)]


class StopsAtTheFirst(MemoryLimits):
    def hit(self, rules: Sequence[RateLimitRule]) -> States:
        states = list(super().hit(rules))
        refused = [n for n, state in enumerate(states) if not state.is_allowed]
        return states[: refused[0] + 1] if refused else states


class CountsEqualRulesOnce(MemoryLimits):
    def hit(self, rules: Sequence[RateLimitRule]) -> States:
        states = {state.rule: state for state in super().hit([*dict.fromkeys(rules)])}
        return [states[rule] for rule in rules]


class SortsRules(MemoryLimits):
    def hit(self, rules: Sequence[RateLimitRule]) -> States:
        return super().hit(sorted(rules, key=lambda rule: rule.limit.requests))


class RefusesAll(MemoryLimits):
    def hit(self, rules: Sequence[RateLimitRule]) -> States:
        states = super().hit(rules)
        passes = all(state.is_allowed for state in states)
        return [attrs.evolve(state, is_allowed=passes) for state in states]


class KnowsNoSubjects(MemoryLimits):
    def key(self, rule: RateLimitRule) -> tuple[str, str]:
        return rule.limit.bucket.value, ""


class FoldsSubjects(MemoryLimits):
    def key(self, rule: RateLimitRule) -> tuple[str, str]:
        return rule.limit.bucket.value, rule.subject.casefold()


class TrimsSubjects(MemoryLimits):
    def key(self, rule: RateLimitRule) -> tuple[str, str]:
        return rule.limit.bucket.value, rule.subject.strip()


class ShortensSubjects(MemoryLimits):
    def key(self, rule: RateLimitRule) -> tuple[str, str]:
        return rule.limit.bucket.value, rule.subject.encode("ascii", "ignore").decode()


class KnowsNoBuckets(MemoryLimits):
    def key(self, rule: RateLimitRule) -> tuple[str, str]:
        return "", rule.subject


class JoinsNames(MemoryLimits):
    def key(self, rule: RateLimitRule) -> tuple[str, str]:
        return "", rule.limit.bucket.value + rule.subject


class TellsNaiveTimes(MemoryLimits):
    def hit(self, rules: Sequence[RateLimitRule]) -> States:
        return [
            attrs.evolve(state, reset_at=state.reset_at.replace(tzinfo=None))
            for state in super().hit(rules)
        ]


class ResetsAWindowFromNow(MemoryLimits):
    def hit(self, rules: Sequence[RateLimitRule]) -> States:
        now = self.clock.now()
        return [
            attrs.evolve(s, reset_at=now + timedelta(seconds=s.rule.limit.window_s))
            for s in super().hit(rules)
        ]


class ResetsNow(MemoryLimits):
    def hit(self, rules: Sequence[RateLimitRule]) -> States:
        now = self.clock.now()
        return [attrs.evolve(state, reset_at=now) for state in super().hit(rules)]


class CountsBelowZero(MemoryLimits):
    def state(
        self,
        rule: RateLimitRule,
        window: list[datetime],
        now: datetime,
        *,
        is_allowed: bool,
    ) -> RateLimitState:
        state = super().state(rule, window, now, is_allowed=is_allowed)
        return attrs.evolve(state, remaining=rule.limit.requests - len(window))


class KeepsTheFirstLimit(MemoryLimits):
    def __init__(self, clock: Clock, windows: Windows) -> None:
        super().__init__(clock, windows)
        self.limits: dict[tuple[str, str], RateLimitRule] = {}

    def hit(self, rules: Sequence[RateLimitRule]) -> States:
        known = [self.limits.setdefault(self.key(rule), rule) for rule in rules]
        states = super().hit(known)
        return [attrs.evolve(s, rule=r) for s, r in zip(states, rules, strict=True)]


class ForgetsSurplus(MemoryLimits):
    def hit(self, rules: Sequence[RateLimitRule]) -> States:
        return [
            attrs.evolve(
                state,
                reset_at=min(self.windows[self.key(state.rule)], default=state.reset_at)
                + timedelta(seconds=state.rule.limit.window_s),
            )
            for state in super().hit(rules)
        ]


class DividesByTheLimit(MemoryLimits):
    def hit(self, rules: Sequence[RateLimitRule]) -> States:
        _ = [rule.limit.window_s / rule.limit.requests for rule in rules]
        return super().hit(rules)


class TakesNoneForUnlimited(MemoryLimits):
    def hit(self, rules: Sequence[RateLimitRule]) -> States:
        states = super().hit(rules)
        return [
            attrs.evolve(s, is_allowed=s.is_allowed or not s.rule.limit.requests)
            for s in states
        ]


class BeginsTwice(MemoryLimits):
    def begin_hit(self, rules: Sequence[RateLimitRule]) -> Callable[[], States]:
        self.hit(rules)
        return lambda: self.hit(rules)


class GivesTheLastAnswer(MemoryLimits):
    answer: States = ()

    def begin_hit(self, rules: Sequence[RateLimitRule]) -> Callable[[], States]:
        self.answer = self.hit(rules)
        return lambda: self.answer


class HasFixedWindows(MemoryLimits):
    def window(self, rule: RateLimitRule, now: datetime) -> list[datetime]:
        window = self.windows.setdefault(self.key(rule), [])
        if window and now >= window[0] + timedelta(seconds=rule.limit.window_s):
            window.clear()
        return window


class CountsRefusals(MemoryLimits):
    def counted(self, rules: Sequence[RateLimitRule], now: datetime) -> States:
        states = super().counted(rules, now)
        if not all(state.is_allowed for state in states):
            for rule in rules:
                self.window(rule, now).append(now)
        return states


class KeepsTheEdge(MemoryLimits):
    def is_within(self, at: datetime, begin: datetime) -> bool:
        return at >= begin


class CountsInSeconds(MemoryLimits):
    def counted(self, rules: Sequence[RateLimitRule], now: datetime) -> States:
        return super().counted(rules, now.replace(microsecond=0))


class KeepsOneLength(MemoryLimits):
    def window(self, rule: RateLimitRule, now: datetime) -> list[datetime]:
        limit = attrs.evolve(rule.limit, window_s=1)
        for kept in self.windows:
            begin = now - timedelta(seconds=limit.window_s)
            self.windows[kept] = [at for at in self.windows[kept] if at > begin]
        return super().window(rule, now)


class LooksThenCounts(MemoryLimits):
    def __init__(self, clock: Clock, windows: Windows) -> None:
        super().__init__(clock, windows)
        self.lock = _NoLock()  # type: ignore[assignment]


class LocksEachRule(MemoryLimits):
    def counted(self, rules: Sequence[RateLimitRule], now: datetime) -> States:
        states = super().counted(rules, now)
        # Released and taken again, as if each rule had a lock of its own.
        self.lock.release()
        self.lock.acquire()
        return [
            self.state(s.rule, self.window(s.rule, now), now, is_allowed=s.is_allowed)
            for s in states
        ]


class CountsForEachThread(MemoryLimits):
    def key(self, rule: RateLimitRule) -> tuple[str, str]:
        return f"{rule.limit.bucket.value} {threading.get_ident()}", rule.subject


class ForgetsWhenClosed(MemoryLimits):
    def close(self) -> None:
        self.windows.clear()


class KeepsToItself(MemoryLimits):
    def __init__(self, clock: Clock, windows: Windows) -> None:
        super().__init__(clock, dict(windows))


class PingsByHitting(MemoryLimits):
    def ping(self) -> None:
        super().ping()
        self.windows.setdefault(("api", "org_a"), []).append(datetime.now(UTC))


class LeaksErrors(MemoryLimits):
    def ping(self) -> None:
        if self.is_down:
            raise ConnectionRefusedError("refused")


class LetsAllPassWhenDown(MemoryLimits):
    def hit(self, rules: Sequence[RateLimitRule]) -> States:
        now = self.clock.now()
        with self.lock:
            return self.counted(rules, now)


class PingsWhenDown(MemoryLimits):
    def hit(self, rules: Sequence[RateLimitRule]) -> States:
        super().ping()
        return super().hit(rules)

    def ping(self) -> None:
        pass


class HangsWhenDown(MemoryLimits):
    def ping(self) -> None:
        if self.is_down:
            threading.Event().wait(2.0)
        super().ping()


class BeginsWhenDown(MemoryLimits):
    def begin_hit(self, rules: Sequence[RateLimitRule]) -> Callable[[], States]:
        return lambda: () if self.is_down else self.hit(rules)


class _NoLock:
    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


class KnowsDaysAtMost(MemoryLimits):
    def hit(self, rules: Sequence[RateLimitRule]) -> States:
        day_s = 24 * 3600
        short = [
            attrs.evolve(
                rule,
                limit=attrs.evolve(
                    rule.limit, window_s=min(day_s, rule.limit.window_s)
                ),
            )
            for rule in rules
        ]
        return super().hit(short)


class SharesWindows(MemoryLimits):
    shared: ClassVar[Windows] = {}

    def __init__(self, clock: Clock, windows: Windows) -> None:
        super().__init__(clock, self.shared)


class SwallowsInterrupts(MemoryLimits):
    def append(self, windows: Sequence[list[datetime]], now: datetime) -> None:
        with suppress(KeyboardInterrupt):
            super().append(windows, now)


class CountsRuleAfterRule(MemoryLimits):
    def append(self, windows: Sequence[list[datetime]], now: datetime) -> None:
        for window in windows:
            window.append(now)
