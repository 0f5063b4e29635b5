"""
Tokens of an account of Google, while nobody gives new ones.
"""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from google.auth.credentials import Credentials
from google.auth.exceptions import RefreshError

from hv_storage_fsspec.google_tokens import TokenRenewal
from tests.live import until


class Account(Credentials):  # type: ignore[misc]  # Google's types are not known here
    """
    An account whose tokens are refused from now on.
    """

    def __init__(self, *, ends_in: timedelta) -> None:
        super().__init__()
        self.token = "good"
        self.expiry = datetime.now(UTC).replace(tzinfo=None) + ends_in
        self.asked = 0
        self.answered = threading.Event()

    def refresh(self, request: object) -> None:
        """
        Refuse, once it is time.
        """
        self.asked += 1
        assert self.answered.wait(10)
        raise RefreshError("no")


def test_a_token_is_used_until_it_ends_while_one_caller_asks_for_the_next() -> None:
    account, renewal = Account(ends_in=timedelta(minutes=2)), TokenRenewal()

    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(renewal.renew, account)
        until(lambda: account.asked == 1, within_s=10, what="the question")
        for _ in range(20):
            renewal.renew(account)
        account.answered.set()
        asking.result(10)
    renewal.renew(account)

    assert account.asked == 1


def test_a_token_that_has_ended_is_not_used() -> None:
    account, renewal = Account(ends_in=timedelta(seconds=-1)), TokenRenewal()
    account.answered.set()

    with pytest.raises(RefreshError):
        renewal.renew(account)


def test_a_token_that_is_new_makes_nobody_ask() -> None:
    account = Account(ends_in=timedelta(hours=1))

    TokenRenewal().renew(account)

    assert account.asked == 0
