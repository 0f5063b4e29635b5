"""
Verify the tokens by which Google Pub/Sub proves that a push request is its own.

Source: "Authenticate push subscriptions" in Google's documentation; OpenID Connect Core
1.0, section 3.1.3.7; RFC 8725.
"""

import json
import time
from collections.abc import Mapping
from typing import Any, Final

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from hvcore.clock import Clock
from hvcore.errors import UnauthorizedError, UnavailableError
from hvcore_notify.documents import WAITS_S, PublicDocuments

ISSUERS: Final = ("https://accounts.google.com", "accounts.google.com")
ALGORITHM: Final = "RS256"
"""The signature algorithm of Google's tokens; a token cannot choose another."""
LEEWAY_S: Final = 60
MAX_TOKEN_BYTES: Final = 4096
MIN_KEY_BITS: Final = 2048
MAX_KEYS: Final = 32
RENEWED_AFTER_S: Final = 3600.0
"""The seconds after which Google's keys are fetched again, so that withdrawn keys are
forgotten."""
BELIEVED_S: Final = 6 * 3600.0
"""The most seconds for which fetched keys are used if Google does not answer; Google allows
keys to be kept for about as long."""
AGAIN_AFTER_S: Final = 10.0
"""The least seconds between two fetches of keys, also after a failure or for tokens with
unknown key names."""
_REQUIRED: Final = ("exp", "iat", "iss", "aud", "email")


class PubSubTokens:
    """Verifies the tokens of one Google service account for one audience; thread-safe."""

    def __init__(
        self,
        *,
        audience: str,
        email: str,
        keys_url: str,
        documents: PublicDocuments,
        clock: Clock,
    ) -> None:
        self._audience = audience
        self._email = email
        self._clock = clock
        self._keys = _GoogleKeys(keys_url, documents)

    def check(self, token: str) -> None:
        """
        Verify the token of a push request by its signature, account, audience and time.

        Raises:
            UnauthorizedError: The token is not valid; the text says why.
            UnavailableError: Google's keys cannot be fetched now.
        """
        if not token.isascii() or not 0 < len(token) <= MAX_TOKEN_BYTES:
            raise UnauthorizedError("Send Pub/Sub's token, as Authorization: Bearer.")
        try:
            header = jwt.get_unverified_header(token)
        except jwt.PyJWTError as exc:
            raise UnauthorizedError("The token cannot be read.") from exc
        name = header.get("kid")
        if header.get("alg") != ALGORITHM or not isinstance(name, str):
            raise UnauthorizedError("The token is not signed as Google signs.")
        claims = self._claims(token, self._keys.named(name))
        if claims["email"] != self._email or claims.get("email_verified") is not True:
            raise UnauthorizedError(
                "The token is of another account than HV_NOTIFY__PUBSUB_EMAIL."
            )

    def _claims(self, token: str, key: RSAPublicKey) -> Mapping[str, Any]:
        try:
            claims: Mapping[str, Any] = jwt.decode(
                token,
                key,
                algorithms=[ALGORITHM],
                audience=self._audience,
                issuer=ISSUERS,
                options={
                    "require": list(_REQUIRED),
                    "strict_aud": True,
                    # By our own clock, below.
                    "verify_exp": False,
                    "verify_iat": False,
                    "verify_nbf": False,
                },
            )
        except jwt.PyJWTError as exc:
            # The name alone: messages quote what was sent.
            raise UnauthorizedError(
                f"The token is refused: {type(exc).__name__}."
            ) from exc
        now = self._clock.now().timestamp()
        begins, ends = claims["iat"], claims["exp"]
        if not (type(begins) is int and type(ends) is int):
            raise UnauthorizedError("The token's times are no whole numbers.")
        if not begins - LEEWAY_S <= now <= ends + LEEWAY_S:
            raise UnauthorizedError("The token is not valid now.")
        return claims


class _GoogleKeys:
    def __init__(self, address: str, documents: PublicDocuments) -> None:
        self._address = address
        self._documents = documents
        self._keys: Mapping[str, RSAPublicKey] = {}
        self._at_s = self._tried_at_s = float("-inf")
        self._failure: UnavailableError | None = None

    def named(self, name: str) -> RSAPublicKey:
        """
        Return Google's key with this id; the keys are fetched again if it is not known.

        An old key is used until new ones can be had: one caller asks for them, and
        goes on with the old one if nobody answers.

        Raises:
            UnauthorizedError: Google has no such key.
            UnavailableError: The keys cannot be fetched now.
        """
        age_s = time.monotonic() - self._at_s
        known = self._keys.get(name) if age_s < BELIEVED_S else None
        if known is not None and age_s < RENEWED_AFTER_S:
            return known
        try:
            with self._documents.turn(waits_s=WAITS_S if known is None else 0):
                self._renew()
        except UnavailableError:
            if known is None:
                raise
            return known
        if name not in self._keys:
            raise UnauthorizedError("The token names a key that is not known.")
        return self._keys[name]

    def _renew(self) -> None:
        """Fetch the keys, unless that was tried just now; needs the turn."""
        if time.monotonic() >= self._tried_at_s + AGAIN_AFTER_S:
            self._tried_at_s = time.monotonic()
            try:
                self._keys, self._failure = self._fetched(), None
                self._at_s = self._tried_at_s
            except UnavailableError as exc:
                self._failure = exc
        if self._failure is not None:
            # Nothing is known of a token's key while nobody gives keys.
            raise UnavailableError(self._failure.detail)

    def _fetched(self) -> Mapping[str, RSAPublicKey]:
        keys = _read_keys(self._documents.get(self._address) or b"")
        if not keys:
            raise UnavailableError(
                "Google's keys cannot be had now; send it again soon."
            )
        return keys


def _read_keys(data: bytes) -> Mapping[str, RSAPublicKey]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    given = found.get("keys") if isinstance(found, dict) else None
    keys = {}
    for one in given[:MAX_KEYS] if isinstance(given, list) else []:
        key = _read_key(one)
        if key is not None:
            keys[str(one["kid"])] = key
    return keys


def _read_key(found: object) -> RSAPublicKey | None:
    if not isinstance(found, dict) or not isinstance(found.get("kid"), str):
        return None
    if found.get("kty") != "RSA" or found.get("use", "sig") != "sig":
        return None
    try:
        key = jwt.PyJWK.from_dict(found, algorithm=ALGORITHM).key
    except (jwt.PyJWTError, TypeError, ValueError, KeyError):
        # One that is broken hides no other.
        return None
    is_strong = isinstance(key, RSAPublicKey) and key.key_size >= MIN_KEY_BITS
    return key if is_strong else None
