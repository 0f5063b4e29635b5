"""
Decide whether a request is sent again, and when.

Source: RFC 9110, sections 9.2.2 and 10.2.3.
"""

import random
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

import attrs

from hvcore_client.errors import ApiError, QuotaExceededError, UnreachableError
from hvcore_client.steps import Answer, Request, Steps, sent, waited_after

DEFAULT_TRIES: Final = 5
FIRST_WAIT_S: Final = 0.5
LONGEST_WAIT_S: Final = 60.0
"""The most seconds that a call waits before another try; if more are asked for, it raises the error."""

_CONFLICT: Final = 409
_REFUSED_FOR_NOW: Final = frozenset({429})
"""Statuses of requests that were certainly not carried out, so that any request may be sent again."""
_PASSING: Final = frozenset({429, 502, 503, 504})
_RANDOM: Final = random.SystemRandom()


@attrs.frozen(kw_only=True)
class Retries:
    """
    The number of tries of a request, and the waits between them.

    Attributes:
        max_tries: The most tries of a request, the first one included.
        chance: Returns a random number from 0 to 1, which spreads clients that failed
            together.
    """

    max_tries: int = attrs.field(
        default=DEFAULT_TRIES, validator=attrs.validators.ge(1)
    )
    chance: Callable[[], float] = attrs.field(default=_RANDOM.random, repr=False)

    def wait_s(
        self, request: Request, error: ApiError | UnreachableError, tries: int
    ) -> float | None:
        """
        Return the seconds to wait before the next try; None if there is no next try.

        Args:
            tries: The number of tries so far.
        """
        if tries >= self.max_tries or not _is_passing(request, error, tries):
            return None
        asked_s = getattr(error, "retry_after_s", None)
        if asked_s is not None:
            return None if asked_s > LONGEST_WAIT_S else float(asked_s)
        backed_off_s = min(FIRST_WAIT_S * 2 ** (tries - 1), LONGEST_WAIT_S)
        return float(backed_off_s * (0.5 + self.chance() / 2))


def answered(
    request: Request, retries: Retries, judge: Callable[[Request, Answer], Answer]
) -> Steps[Answer]:
    """
    Send a request until it succeeds, as often as the retries allow; return the answer.

    Args:
        judge: Returns an answer that is a success, and raises ApiError for any other.

    Raises:
        ApiError: The request was refused; the error says whether an answer was lost
            before.
        UnreachableError: The service did not answer.
    """
    tries, may_be_done = 0, False
    while True:
        tries += 1
        try:
            outcome = yield from sent(request)
            if isinstance(outcome, UnreachableError):
                raise outcome
            return judge(request, outcome)
        except (ApiError, UnreachableError) as error:
            wait_s = retries.wait_s(request, error, tries)
            if wait_s is None:
                if isinstance(error, ApiError):
                    error.follows_lost_answer = may_be_done
                raise
            may_be_done = may_be_done or _may_be_done(error)
            yield from waited_after(error, wait_s, str(request))


def retry_after_s(text: str | None, now: datetime | None = None) -> float | None:
    """Return the seconds of a ``Retry-After`` header (a number or a date); None if it is neither."""
    text = (text or "").strip()
    if text.isascii() and text.isdecimal():
        # Thousands of digits are no number for int().
        return float(text[:9])
    moment = moment_of(text)
    if moment is None:
        return None
    return max((moment - (now or datetime.now(UTC))).total_seconds(), 0.0)


def moment_of(text: str | None) -> datetime | None:
    """Return the time of a date in an HTTP header such as ``Date``; None if it is not a date."""
    try:
        moment = parsedate_to_datetime(text or "")
    except (TypeError, ValueError, OverflowError):
        return None
    # "-0000" is by RFC 5322 a time in UTC of unknown origin.
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def _may_be_done(error: ApiError | UnreachableError) -> bool:
    """Return whether a request may have been carried out although its answer is no success."""
    if isinstance(error, UnreachableError):
        return error.was_sent
    # Of a proxy, which has lost the answer, or of a commit whose end nobody knows.
    return error.status in _PASSING - _REFUSED_FOR_NOW


def _is_passing(
    request: Request, error: ApiError | UnreachableError, tries: int
) -> bool:
    if isinstance(error, UnreachableError):
        return request.may_repeat or not error.was_sent
    if isinstance(error, QuotaExceededError):
        # It says when, where waiting helps.
        return error.retry_after_s is not None and error.status in _REFUSED_FOR_NOW
    if error.status == _CONFLICT:
        # The try before, whose answer was lost, still runs with the same key.
        is_own = "Idempotency-Key" in request.headers and tries > 1
        return is_own and error.code == "conflict" and not error.is_replayed
    if error.status in _REFUSED_FOR_NOW:
        return True
    return error.status in _PASSING and request.may_repeat
