"""Limit the questions about all found videos that one person asks."""

import logging
import math
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain.access.principals import Person
from hvcore.domain.access.rate_limits import Bucket, RateLimit, RateLimitRule
from hvcore.domain.videos.bulk_changes import MAX_QUESTIONS, QUESTION_KEPT_FOR
from hvcore.errors import RateLimitExceededError, UnavailableError
from hvcore.metrics.declared import RATE_LIMITED
from hvcore.ports.rate_limit import RateLimitStore

_LIMIT: Final = RateLimit(
    bucket=Bucket.BULK_QUESTIONS,
    requests=MAX_QUESTIONS,
    window_s=int(QUESTION_KEPT_FOR.total_seconds()),
)
_MINUTE_S: Final = 60

_log = logging.getLogger(__name__)


@attrs.frozen(kw_only=True)
class QuestionLimit:
    """
    Count the questions about all found videos by person, and refuse too many; thread-safe.

    While the store does not answer, questions are not limited.
    """

    store: RateLimitStore
    clock: Clock

    def count(self, person: Person) -> None:
        """
        Count one question of a person.

        Raises:
            RateLimitExceededError: The person has asked too many questions within an hour.
        """
        subject = f"{person.backend}:{person.subject}"
        try:
            (state,) = self.store.hit([RateLimitRule(limit=_LIMIT, subject=subject)])
        except UnavailableError as error:
            _log.warning(
                "bulk questions are not limited", extra={"hv_why": error.detail}
            )
            return
        if state.is_allowed:
            return
        wait = (state.reset_at - self.clock.now()).total_seconds()
        wait_s = min(max(1, math.ceil(wait)), _LIMIT.window_s)
        RATE_LIMITED.add(Bucket.BULK_QUESTIONS.value)
        raise RateLimitExceededError(
            f"You have asked for {MAX_QUESTIONS} changes of all found videos within an hour. "
            f"Try again in {math.ceil(wait_s / _MINUTE_S)} minutes, or choose videos by their boxes.",
            headers={"Retry-After": str(wait_s)},
        )
