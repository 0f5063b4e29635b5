"""Limit the attempts to sign in from one client address."""

import logging
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain.access.rate_limits import Bucket, RateLimit, RateLimitRule
from hvcore.errors import RateLimitExceededError, UnavailableError
from hvcore.metrics.declared import RATE_LIMITED
from hvcore.ports.rate_limit import RateLimitStore
from hvcore.throttling.log_lines import LOG_LINES
from hvcore.throttling.shares import client_of_address

WINDOW_S: Final = 60

_log = logging.getLogger(__name__)


@attrs.frozen(kw_only=True)
class SignInAttempts:
    """
    Count attempts to sign in by client, and refuse too many; thread-safe.

    While the store does not answer, attempts are not limited: the codes to guess have 256
    random bits, and nobody could sign in otherwise.

    Attributes:
        per_minute: The most attempts a minute from one address; for IPv6, from its network of 64 bits.
    """

    store: RateLimitStore
    clock: Clock
    per_minute: int

    def count(self, client_address: str) -> None:
        """
        Count one attempt to sign in from a client address.

        Raises:
            RateLimitExceededError: There were too many attempts from this address.
        """
        client = client_of_address(client_address)
        limit = RateLimit(
            bucket=Bucket.SIGN_INS, requests=self.per_minute, window_s=WINDOW_S
        )
        try:
            states = self.store.hit([RateLimitRule(limit=limit, subject=client)])
        except UnavailableError as error:
            _log.warning("sign-ins are not limited", extra={"hv_why": error.detail})
            return
        if states[0].is_allowed:
            return
        LOG_LINES.write(
            _log,
            logging.WARNING,
            "too many attempts to sign in",
            client=client,
            extra={},
        )
        wait = states[0].reset_at - self.clock.now()
        wait_s = min(max(1, int(wait.total_seconds()) + 1), WINDOW_S)
        RATE_LIMITED.add(Bucket.SIGN_INS.value)
        raise RateLimitExceededError(
            "Too many attempts to sign in; wait a minute and try again.",
            headers={"Retry-After": str(wait_s)},
        )
