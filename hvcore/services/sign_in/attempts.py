"""Limit the attempts to sign in, and the mails asked for, from one client address."""

import logging
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain.access.rate_limits import Bucket, RateLimit, RateLimitRule
from hvcore.domain.sign_in.mails import MAX_ASKED_BY_CLIENT, SIGN_IN_MAIL_WINDOW
from hvcore.errors import RateLimitExceededError, UnavailableError
from hvcore.metrics.declared import RATE_LIMITED
from hvcore.ports.rate_limit import RateLimitStore
from hvcore.throttling.log_lines import LOG_LINES
from hvcore.throttling.shares import client_of_address

WINDOW_S: Final = 60
_MAILS: Final = RateLimit(
    bucket=Bucket.SIGN_IN_MAILS,
    requests=MAX_ASKED_BY_CLIENT,
    window_s=int(SIGN_IN_MAIL_WINDOW.total_seconds()),
)

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
        limit = RateLimit(
            bucket=Bucket.SIGN_INS, requests=self.per_minute, window_s=WINDOW_S
        )
        self._count(
            limit,
            client_address,
            "Too many attempts to sign in; wait a minute and try again.",
        )

    def count_mail(self, client_address: str) -> None:
        """
        Count one mail with a sign-in link that somebody at a client address asks for.

        Raises:
            RateLimitExceededError: This client has asked for too many mails.
        """
        self._count(
            _MAILS,
            client_address,
            f"{MAX_ASKED_BY_CLIENT} links were asked for from your address within an "
            "hour; use one of the mails, or try again later.",
        )

    def _count(self, limit: RateLimit, client_address: str, refusal: str) -> None:
        client = client_of_address(client_address)
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
        wait_s = min(max(1, int(wait.total_seconds()) + 1), limit.window_s)
        RATE_LIMITED.add(limit.bucket.value)
        raise RateLimitExceededError(refusal, headers={"Retry-After": str(wait_s)})
