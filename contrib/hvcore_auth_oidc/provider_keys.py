"""Provide the public keys of an OpenID provider to requests that must not wait for it long."""

import logging
import threading
import time
from concurrent.futures import Future
from concurrent.futures import TimeoutError as StillAskingError
from contextlib import suppress
from typing import Final

from joserfc.jwk import KeySet

from hvcore.plugin_api import UnavailableError
from hvcore_openid_provider.description import DescribedMembers, ProviderDescription
from hvcore_openid_provider.provider_http import ProviderHttp
from hvcore_openid_provider.signed_tokens import LEEWAY_S
from hvcore_openid_provider.signing_keys import SigningKeys

PATIENCE_S: Final = 2.0
"""
The seconds that a request waits for a fetch of keys, counted from the beginning of the fetch.

Each waiting request holds a thread that others need, so those that come later wait only
for the rest of the time.
"""
RENEWED_AFTER_S: Final = 300.0
"""The seconds after which keys are fetched again, while requests go on with the known keys."""
SPARED_S: Final = 5.0
"""The seconds after a failed fetch of keys in which no other fetch begins."""

_log = logging.getLogger(__name__)


class UnknownKeyError(Exception):
    """The provider has no key with the name that a token gives."""


class ProviderKeys:
    """
    Provides the keys with which access tokens are checked; thread-safe.

    One thread at a time asks the provider, however many requests want to know.
    """

    def __init__(self, http: ProviderHttp) -> None:
        self._http = http
        self._description = ProviderDescription(http, _keys_address)
        self._keys = SigningKeys(http.settings)
        self._lock = threading.Lock()
        self._fetch: Future[None] | None = None
        self._begun_at_s = 0.0
        self._ended_at_s = 0.0

    def named(self, name: str | None, *, token_age_s: float) -> KeySet:
        """
        Return the provider's keys, of which one has the given name.

        Args:
            name: The key id (``kid``) in the token; None if it has none.
            token_age_s: The seconds since the token was issued, by its unproved claim
                ``iat``. A token that is younger than the cached keys may be signed with
                a new key.

        Raises:
            UnknownKeyError: No key has this name.
            UnavailableError: The keys could not be fetched within 2 s, or may have
                changed and were fetched a moment ago.
        """
        known = self._keys.known(name)
        if known is not None:
            if self._keys.age_s > RENEWED_AFTER_S:
                # Whoever comes while the provider is down goes on with what is known,
                # and so it is if reading its new keys failed by a mistake of ours.
                with suppress(Exception):
                    self._begin()
            return known
        if not self._is_asking() and not self._keys.may_look_again():
            if token_age_s > self._keys.age_s + LEEWAY_S:
                raise UnknownKeyError
            # Signed with a key that is younger than what is known, if it is true.
            raise UnavailableError(
                f"{self._http.settings.called}'s keys change; try again soon."
            )
        self._wait(self._begin())
        known = self._keys.known(name)
        if known is None:
            raise UnknownKeyError
        self._keys.note_new_key()
        return known

    def _is_asking(self) -> bool:
        fetch = self._fetch
        return fetch is not None and not fetch.done()

    def _begin(self) -> Future[None]:
        """
        Return the fetch that is going on, or a new one.

        Raises:
            UnavailableError: One has failed a moment ago.
        """
        with self._lock:
            now_s = time.monotonic()
            fetch = self._fetch
            if fetch is not None and not fetch.done():
                return fetch
            if fetch is not None and now_s < self._ended_at_s + SPARED_S:
                self._raise_failure(fetch)
            self._fetch = fetch = Future()
            self._begun_at_s = now_s
        thread = threading.Thread(
            target=self._carry_out, args=(fetch,), name="oidc-keys", daemon=True
        )
        try:
            thread.start()
        except RuntimeError as exc:
            # Or this fetch would go on for ever, and nobody begin another one.
            self._end(fetch, UnavailableError(f"no thread asks for the keys: {exc}"))
        return fetch

    def _carry_out(self, fetch: Future[None]) -> None:
        exchange = self._http.begin()
        try:
            self._keys.fetch(exchange, self._description.get(exchange))
        except Exception as exc:  # noqa: BLE001 - those who wait are told, whatever it is
            self._end(fetch, exc)
        else:
            self._end(fetch, None)

    def _end(self, fetch: Future[None], error: Exception | None) -> None:
        self._ended_at_s = time.monotonic()
        if error is None:
            fetch.set_result(None)
            return
        # Callers are told less than who runs the service.
        why = error.detail if isinstance(error, UnavailableError) else repr(error)
        _log.warning("there are no keys of the provider", extra={"hv_why": why})
        fetch.set_exception(error)

    def _wait(self, fetch: Future[None]) -> None:
        left_s = self._begun_at_s + PATIENCE_S - time.monotonic()
        try:
            fetch.exception(timeout=max(left_s, 0.0))
        except StillAskingError as exc:
            raise UnavailableError(self._http.settings.silence) from exc
        self._raise_failure(fetch)

    def _raise_failure(self, fetch: Future[None]) -> None:
        error = fetch.exception(timeout=0)
        if isinstance(error, UnavailableError):
            raise UnavailableError(self._http.settings.silence) from error
        if error is not None:
            # A mistake of ours.
            raise error


def _keys_address(described: DescribedMembers) -> str:
    return described.endpoint("jwks_uri")
