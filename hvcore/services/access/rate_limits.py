"""
Count requests under the rate limits, and give the facts for their headers.

Source: the interface document, "Limits".
"""

import logging
import math
import threading
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain.access.rate_limits import (
    Bucket,
    RateLimit,
    RateLimitRule,
    RateLimitState,
)
from hvcore.errors import UnavailableError
from hvcore.ports.rate_limit import RateLimitStore
from hvcore.settings.tree import LimitSettings

HOUR_S: Final = 3600
MINUTE_S: Final = 60
ASKED_AGAIN_AFTER: Final = timedelta(seconds=1)
"""How long a store that failed is left alone: each attempt costs 0.25 s."""
REFUSED_AT_LEAST: Final = timedelta(seconds=1)
"""
Who is over a limit for longer is refused that long without asking the store. A caller
that tries again and again had its refusals cost as much as requests.
"""
LOGGED_EVERY: Final = timedelta(minutes=1)
AMPLE: Final = 100
"""The remaining requests from which a request is worked on while it is still being counted."""
MAX_KNOWN_SUBJECTS: Final = 10_000

_log = logging.getLogger(__name__)


@attrs.frozen(kw_only=True)
class RateLimitResult:
    """
    The outcome of counting a request under its rate limits.

    Attributes:
        shown: The rule with the fewest requests remaining, then the one with
            the smaller limit.
        retry_after_s: Seconds after which to try again, at least 1; None if the request
            may pass.
    """

    shown: RateLimitState
    retry_after_s: int | None

    @property
    def reset_unix(self) -> int:
        """The moment at which the shown limit allows more requests, in Unix seconds."""
        return math.ceil(self.shown.reset_at.timestamp())


class RateLimits:
    """
    Count requests under the rate limits of organizations and keys; thread-safe.

    While the store is down, requests go on without limits, except those for upload
    addresses: each upload may have 5 GB.
    """

    def __init__(
        self, *, store: RateLimitStore, settings: LimitSettings, clock: Clock
    ) -> None:
        self._store = store
        self._clock = clock
        self._outage = _Outage()
        # What was left to each organization by the last answer.
        self._left: dict[str, int] = {}
        self._refused = _Refused()
        self._limits = _limits(settings)

    def count(
        self, *, org_id: str, key_id: str, bucket: Bucket | None
    ) -> RateLimitResult | None:
        """
        Count an API request, and return the outcome of its rate limits.

        Args:
            org_id: The organization whose limits apply; the key's id for a key of no
                organization.
            bucket: A bucket in which the request counts besides the bucket of all requests.

        Returns:
            None if the store does not answer.

        Raises:
            UnavailableError: The store does not answer, and this request must be limited.
        """
        rules = [self._rule(counted, org_id) for counted in _buckets(bucket)]
        if bucket is Bucket.UPLOAD_URL:
            rules.insert(0, self._rule(Bucket.UPLOAD_URL_OF_KEY, key_id))
        return self._hit(rules, is_needed=bucket is Bucket.UPLOAD_URL)

    def count_operation(
        self, *, org_id: str, bucket: Bucket, times: int = 1
    ) -> RateLimitResult | None:
        """
        Count operations on a dashboard page, which are made without an API key.

        They count in their own bucket, but not as API requests.

        Args:
            times: The number of operations; if the limit has no room for all of them,
                none is counted.

        Returns:
            None if the store does not answer.

        Raises:
            UnavailableError: The store does not answer, and this operation must be limited.
        """
        buckets = [one for one in _buckets(bucket) if one is not Bucket.API]
        rules = [self._rule(one, org_id) for one in buckets]
        is_needed = bucket is Bucket.UPLOAD_URL
        # Limits that are lower by the others have room for all of them, or for none.
        lowered = [_with_room_for(rule, times - 1) for rule in rules]
        counted = self._hit(lowered * times, is_needed=is_needed)
        return counted and _of_rules(counted, rules)

    def begin_to_count(self, *, org_id: str) -> Callable[[], RateLimitResult | None]:
        """
        Begin to count a reading API request that is in no bucket of its own, without waiting.

        Returns:
            A function that waits for the outcome, as ``count`` returns it; call it
            once, before the answer is sent. The request is counted just as exactly.
            An organization that has few requests left is counted first, so few requests are
            worked on in vain.
        """
        rules = [self._rule(Bucket.API, org_id)]
        now = self._clock.now()
        if self._left.get(org_id, 0) < AMPLE or not self._outage.may_ask(now):
            counted = self._hit(rules, is_needed=False)
            self._remember(org_id, counted)
            return lambda: counted
        try:
            states = self._store.begin_hit(rules)
        except UnavailableError as error:
            self._outage.begin(now, error)
            return lambda: None

        def end() -> RateLimitResult | None:
            counted = self._outcome(states, now)
            self._remember(org_id, counted)
            return counted

        return end

    def _rule(self, bucket: Bucket, subject: str) -> RateLimitRule:
        return RateLimitRule(limit=self._limits[bucket], subject=subject)

    def _hit(
        self, rules: Sequence[RateLimitRule], *, is_needed: bool
    ) -> RateLimitResult | None:
        now = self._clock.now()
        if refused := self._refused.find(rules, now):
            return refused
        if self._outage.may_ask(now):
            counted = self._outcome(lambda: self._store.hit(rules), now)
            if counted is not None:
                self._refused.remember(rules, now, counted)
                return counted
        if is_needed:
            raise UnavailableError(
                "Uploads cannot be granted at the moment; try again soon.",
                retry_after_s=2,
            )
        return None

    def _outcome(
        self, states: Callable[[], Sequence[RateLimitState]], now: datetime
    ) -> RateLimitResult | None:
        try:
            answered = states()
        except UnavailableError as error:
            self._outage.begin(now, error)
            return None
        self._outage.end()
        return _counted(answered, now)

    def _remember(self, org_id: str, counted: RateLimitResult | None) -> None:
        if len(self._left) >= MAX_KNOWN_SUBJECTS:
            self._left.clear()
        self._left[org_id] = 0 if counted is None else counted.shown.remaining


class _Refused:
    """Remembers for a moment who is over a limit: nobody's requests leave it sooner."""

    def __init__(self) -> None:
        self._since: dict[
            tuple[RateLimitRule, ...], tuple[datetime, RateLimitResult]
        ] = {}

    def find(
        self, rules: Sequence[RateLimitRule], now: datetime
    ) -> RateLimitResult | None:
        """Return the refusal that a request would get from the store."""
        since, refused = self._since.get(tuple(rules), (None, None))
        if since is None or not timedelta() <= now - since < REFUSED_AT_LEAST:
            return None
        return refused

    def remember(
        self, rules: Sequence[RateLimitRule], now: datetime, counted: RateLimitResult
    ) -> None:
        """Remember the store's verdict, if it refuses for long enough."""
        # Rounded up: at 1 it may be over at once.
        if (counted.retry_after_s or 0) <= REFUSED_AT_LEAST.total_seconds():
            return
        if len(self._since) >= MAX_KNOWN_SUBJECTS:
            self._since.clear()
        self._since[tuple(rules)] = (now, counted)


class _Outage:
    """Remembers that the store fails, so that few requests wait for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked_at: datetime | None = None
        self._logged_at: datetime | None = None

    def may_ask(self, now: datetime) -> bool:
        """Return whether the store is to be asked; in an outage once a second."""
        with self._lock:
            if self._asked_at is None:
                return True
            # Both ways, or a clock that was set back would end all limits.
            if abs(now - self._asked_at) < ASKED_AGAIN_AFTER:
                return False
            # Others wait for the outcome of this attempt.
            self._asked_at = now
            return True

    def begin(self, now: datetime, error: UnavailableError) -> None:
        """Record a failure."""
        with self._lock:
            self._asked_at = now
            logged = self._logged_at
            if logged is not None and abs(now - logged) < LOGGED_EVERY:
                return
            self._logged_at = now
        _log.error(
            "requests are not limited and uploads are refused",
            extra={"hv_why": error.detail},
        )

    def end(self) -> None:
        """Record an answer."""
        if self._asked_at is None:
            return
        with self._lock:
            self._asked_at = None
        _log.info("requests are limited again")


def _buckets(bucket: Bucket | None) -> tuple[Bucket, ...]:
    """Return the buckets of a request, the tightest first."""
    if bucket is None:
        return (Bucket.API,)
    if bucket is Bucket.THUMBNAILS:
        # Making a thumbnail is one of the video operations, too.
        return (bucket, Bucket.VIDEO_OPERATIONS, Bucket.API)
    return (bucket, Bucket.API)


def _limits(settings: LimitSettings) -> dict[Bucket, RateLimit]:
    hourly = {
        Bucket.API: settings.api_per_hour,
        Bucket.UPLOAD_URL: settings.upload_url_per_hour,
        Bucket.VIDEO_OPERATIONS: settings.video_operations_per_hour,
        Bucket.ANALYTICS: settings.analytics_per_hour,
        Bucket.THUMBNAILS: settings.thumbnails_per_hour,
        Bucket.KEY_OPERATIONS: settings.key_operations_per_hour,
    }
    limits = {
        bucket: RateLimit(bucket=bucket, requests=requests, window_s=HOUR_S)
        for bucket, requests in hourly.items()
    }
    limits[Bucket.UPLOAD_URL_OF_KEY] = RateLimit(
        bucket=Bucket.UPLOAD_URL_OF_KEY,
        requests=settings.upload_url_per_minute_and_key,
        window_s=MINUTE_S,
    )
    return limits


def _with_room_for(rule: RateLimitRule, others: int) -> RateLimitRule:
    """Return a rule that lets a request pass only if its limit has room for others, too."""
    requests = max(0, rule.limit.requests - others)
    return attrs.evolve(rule, limit=attrs.evolve(rule.limit, requests=requests))


def _of_rules(
    result: RateLimitResult, rules: Sequence[RateLimitRule]
) -> RateLimitResult:
    """Return a result with the given rule of the bucket that it shows."""
    bucket = result.shown.rule.limit.bucket
    (rule,) = (one for one in rules if one.limit.bucket is bucket)
    return attrs.evolve(result, shown=attrs.evolve(result.shown, rule=rule))


def _counted(states: Sequence[RateLimitState], now: datetime) -> RateLimitResult:
    shown = min(states, key=lambda state: (state.remaining, state.rule.limit.requests))
    refusing = [state for state in states if not state.is_allowed]
    waits = [_wait_s(state, now) for state in refusing]
    return RateLimitResult(shown=shown, retry_after_s=max(waits) if waits else None)


def _wait_s(state: RateLimitState, now: datetime) -> int:
    # The store's clock may be another one than ours.
    wait_s = math.ceil((state.reset_at - now).total_seconds())
    return min(max(1, wait_s), state.rule.limit.window_s)
