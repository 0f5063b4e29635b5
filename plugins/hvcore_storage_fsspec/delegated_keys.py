"""Fetch the keys that Azure lends to an identity for a time, to sign addresses with."""

import asyncio
import logging
import threading
import time
from concurrent.futures import Future
from datetime import datetime, timedelta
from typing import Any, Final

import attrs
from azure.storage.blob import UserDelegationKey
from azure.storage.blob.aio import BlobServiceClient

from hvcore_storage_fsspec.time_limits import ANSWER_S

DELEGATION_VALID: Final = timedelta(hours=24)
DELEGATION_RENEWED: Final = timedelta(hours=2)
"""The time before the end of a key at which the next one is fetched, so that addresses seldom outlive their key."""
CLOCKS_APART: Final = timedelta(minutes=5)
ASKED_EVERY_S: Final = 10.0
"""The seconds between two requests for a key; more than ANSWER_S, so that only one is under way."""

_log = logging.getLogger(__name__)


@attrs.define(kw_only=True)
class DelegatedKeys:
    """
    Provides the borrowed key that signs addresses now; thread-safe.

    A key is used until it ends. The next key is fetched two hours before in the
    background, so that a token service may be silent that long without delaying an
    address.
    """

    client: BlobServiceClient
    loop: Any
    _key: UserDelegationKey | None = attrs.field(default=None, init=False, repr=False)
    _question: "Future[UserDelegationKey] | None" = attrs.field(
        default=None, init=False, repr=False
    )
    _asked_again_at_s: float = attrs.field(default=0.0, init=False)
    _lock: threading.Lock = attrs.field(factory=threading.Lock, init=False, repr=False)

    def key(self, now: datetime) -> UserDelegationKey:
        """
        Return a valid key; wait up to 5 s only if there is none.

        Raises:
            AzureError, TimeoutError: There is no valid key, and the request for one has
                failed.
        """
        with self._lock:
            known = self._key
            if known is not None and end_of(known) - now >= DELEGATION_RENEWED:
                return known
            question = self._ask(now)
        if known is not None and end_of(known) > now:
            return known
        # The loop's own limit comes first, unless the loop is stuck.
        return question.result(timeout=ANSWER_S + 1)

    def _ask(self, now: datetime) -> "Future[UserDelegationKey]":
        """Return the last request for a key, or begin a new one if it is time; the caller holds the lock."""
        now_s = time.monotonic()
        if self._question is None or now_s >= self._asked_again_at_s:
            self._asked_again_at_s = now_s + ASKED_EVERY_S
            self._question = asyncio.run_coroutine_threadsafe(
                self._fetch(now), self.loop
            )
        return self._question

    async def _fetch(self, now: datetime) -> UserDelegationKey:
        try:
            key = await asyncio.wait_for(
                self.client.get_user_delegation_key(
                    now - CLOCKS_APART, now + DELEGATION_VALID
                ),
                ANSWER_S,
            )
        except Exception as exc:
            _log.warning(
                "Azure lends no key to sign with",
                extra={"hv_why": exc.__class__.__name__},
            )
            raise
        self._key = key
        # Only a question that failed is followed by a pause.
        self._asked_again_at_s = 0.0
        return key


def end_of(key: UserDelegationKey) -> datetime:
    """Return the time at which a user delegation key ends."""
    return datetime.fromisoformat(str(key.signed_expiry))
