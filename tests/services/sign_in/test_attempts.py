"""
What happens to sign-ins while attempts cannot be counted.
"""

import logging
from collections.abc import Sequence

import pytest

from hvcore.domain.access.rate_limits import RateLimitRule, RateLimitState
from hvcore.errors import UnavailableError
from hvcore.ports.rate_limit import RateLimitStore
from hvcore.services.sign_in.attempts import SignInAttempts
from tests.support.fakes import SettableClock


class BrokenStore(RateLimitStore):
    """
    Does not answer.
    """

    def hit(self, rules: Sequence[RateLimitRule]) -> Sequence[RateLimitState]:
        raise UnavailableError("The store is broken.")


def test_people_sign_in_while_the_store_is_down(
    caplog: pytest.LogCaptureFixture,
) -> None:
    attempts = SignInAttempts(store=BrokenStore(), clock=SettableClock(), per_minute=1)

    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            attempts.count("192.0.2.7")

    assert "sign-ins are not limited" in caplog.text
