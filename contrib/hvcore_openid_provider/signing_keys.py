"""Fetch and cache the provider's public keys, which change now and then."""

import math
import time
from base64 import urlsafe_b64decode
from collections.abc import Mapping
from typing import Any, Final

import attrs
from joserfc.errors import JoseError
from joserfc.jwk import JWKRegistry, Key, KeySet

from hvcore.plugin_api import UnavailableError
from hvcore_openid_provider.provider_http import ProviderExchange, ProviderSettings

BELIEVED_S: Final = 3600.0
"""The seconds after which keys are fetched again, so that a withdrawn key is forgotten."""
AGAIN_AFTER_S: Final = 10.0
"""The least seconds between two fetches of keys because of unknown key names."""
MAX_KEYS: Final = 100
_PUBLIC: Final = ("RSA", "EC")
"""No set: what is looked up in a set must be hashable, and a provider may send lists."""
_MIN_MODULUS_BITS: Final = 2048
"""Shorter keys can be broken (NIST SP 800-131A)."""
_MAX_MODULUS_BITS: Final = 8192
"""Checking with longer keys takes longer and longer."""


@attrs.frozen(kw_only=True)
class _FetchedKeys:
    keys: KeySet
    at_s: float

    def has(self, name: str | None) -> bool:
        if name is None:
            return len(self.keys.keys) == 1
        return any(key.kid == name for key in self.keys)


class SigningKeys:
    """Provides the public keys of a provider, and finds the one that a token names; thread-safe."""

    def __init__(self, settings: ProviderSettings) -> None:
        self._called = settings.called
        self._fetched: _FetchedKeys | None = None
        self._fetched_again_at_s = -math.inf

    @property
    def age_s(self) -> float:
        """The age of the fetched signing keys in seconds; infinite if there are none."""
        fetched = self._fetched
        return math.inf if fetched is None else time.monotonic() - fetched.at_s

    def known(self, name: str | None) -> KeySet | None:
        """
        Return the cached keys if they are fresh and include the named one; else None.

        Args:
            name: The key's name (``kid``) in the token; None if the token names none.
        """
        fetched = self._fetched
        if fetched is None or time.monotonic() >= fetched.at_s + BELIEVED_S:
            return None
        return fetched.keys if fetched.has(name) else None

    def may_look_again(self) -> bool:
        """
        Return whether the keys may be fetched now because a token names an unknown one.

        After True, the answer is False for 10 s, unless the fetch finds the key
        (``note_new_key``). If no keys are cached, they may always be fetched.
        """
        now_s = time.monotonic()
        if self.age_s >= BELIEVED_S:
            return True
        if now_s < self._fetched_again_at_s + AGAIN_AFTER_S:
            return False
        self._fetched_again_at_s = now_s
        return True

    def note_new_key(self) -> None:
        """
        Record that a fetch has found the named key, so that the next fetch may follow at once.

        So made-up names cause few fetches, while a provider may change its keys twice
        in a row.
        """
        self._fetched_again_at_s = -math.inf

    def get(self, exchange: ProviderExchange, address: str, name: str | None) -> KeySet:
        """
        Return the provider's keys; fetch them again if the named one is not cached.

        Raises:
            UnavailableError: The keys cannot be fetched, or were fetched a moment ago.
        """
        known = self.known(name)
        if known is not None:
            return known
        if not self.may_look_again():
            raise UnavailableError(f"{self._called}'s keys change; try again soon.")
        keys = self.fetch(exchange, address)
        if self.known(name) is not None:
            self.note_new_key()
        return keys

    def fetch(self, exchange: ProviderExchange, address: str) -> KeySet:
        """
        Fetch the provider's keys now, and return them.

        Raises:
            UnavailableError: The keys cannot be fetched, or there are none.
        """
        answer = exchange.get(address)
        found = (answer.json() or {}).get("keys")
        given = found[:MAX_KEYS] if isinstance(found, list) else []
        keys = [key for key in map(_public_key, given) if key is not None]
        if answer.status != 200 or not keys:  # noqa: PLR2004 - HTTP
            raise UnavailableError(
                f"{self._called} answered {answer.status} at {address}, without "
                "keys that can be used."
            )
        self._fetched = _FetchedKeys(keys=KeySet(keys), at_s=time.monotonic())
        return self._fetched.keys


def _public_key(found: Mapping[str, Any] | object) -> Key | None:
    """Return a public key for signatures, or None if the JSON describes another kind."""
    if not isinstance(found, dict) or found.get("kty") not in _PUBLIC:
        return None
    if found.get("use", "sig") != "sig":
        return None
    if found["kty"] == "RSA" and not (
        _MIN_MODULUS_BITS <= _modulus_bits(found.get("n")) <= _MAX_MODULUS_BITS
    ):
        return None
    try:
        return JWKRegistry.import_key(found)
    except (JoseError, TypeError, ValueError, KeyError):
        # One that is broken, or of a kind yet to come, hides no other.
        return None


def _modulus_bits(encoded: object) -> int:
    """Return the size of an RSA modulus in base64url, without zeros at its front."""
    try:
        modulus = urlsafe_b64decode(f"{encoded}==") if isinstance(encoded, str) else b""
    except ValueError:
        return 0
    return int.from_bytes(modulus).bit_length()
