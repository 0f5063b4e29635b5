"""
Read access tokens, and check that the provider issued them for this API.

Source: RFC 9068, sections 2.2 and 4; RFC 8725; RFC 7519, section 4.1.
"""

import math
from collections.abc import Callable
from datetime import datetime
from typing import Final

import attrs
from joserfc.jwk import KeySet
from joserfc.jwt import ClaimsOption, JWTClaimsRegistry

from hvcore_auth_oidc.options import AccessTokenOptions
from hvcore_openid_provider.claims import Claims
from hvcore_openid_provider.signed_tokens import (
    ALGORITHMS,
    LEEWAY_S,
    UNREADABLE,
    SignedToken,
    read_signed_token,
    without_unread,
)

MAX_TOKEN_CHARS: Final = 16 * 1024
_ALWAYS_REQUIRED: Final = ("sub", "exp", "iat")
_OF_ID_TOKENS: Final = ("nonce", "at_hash", "c_hash")
"""Claims that only ID tokens have: those are for a client, and not for an API."""


class RefusedTokenError(Exception):
    """An access token breaks a rule; the text says which rule, for the log."""


@attrs.frozen(kw_only=True)
class AccessTokenRules:
    """The rules that every access token must fulfil."""

    options: AccessTokenOptions

    def read(
        self, token: str, now: datetime, keys_for: Callable[[SignedToken], KeySet]
    ) -> Claims:
        """
        Check an access token, and return its claims.

        Args:
            keys_for: Called only for a token that is right if its signature is, so that
                other tokens make nobody fetch the provider's keys.

        Raises:
            RefusedTokenError: The token is not for this API, forged, expired, or
                unreadable.
        """
        if len(token) > MAX_TOKEN_CHARS:
            raise RefusedTokenError("it is too long")

        def found(said: SignedToken) -> KeySet:
            self._check(said, now)
            return keys_for(said)

        try:
            return read_signed_token(token, ALGORITHMS, found).claims
        except UNREADABLE as exc:
            raise RefusedTokenError(str(exc)) from exc

    def _check(self, said: SignedToken, now: datetime) -> None:
        options, claims = self.options, said.claims
        # A token need not say its type (RFC 7519, section 5.1).
        if _type(said.header.get("typ", "JWT")) not in map(_type, options.token_types):
            raise RefusedTokenError(
                "typ in its header is none of token_types "
                f"({', '.join(options.token_types)})"
            )
        if any(name in claims for name in _OF_ID_TOKENS):
            raise RefusedTokenError("it is an ID token")
        wanted: dict[str, ClaimsOption] = {
            name: {"essential": True}
            for name in (*_ALWAYS_REQUIRED, *options.required_claims)
        }
        wanted["iss"] = {"essential": True, "value": options.issuer}
        wanted["aud"] = {"essential": True, "value": options.audience}
        JWTClaimsRegistry(
            now=math.floor(now.timestamp()), leeway=LEEWAY_S, **wanted
        ).validate(without_unread(claims, options.required_claims))
        if claims["exp"] - claims["iat"] > options.max_lifetime_s:
            raise RefusedTokenError("it lives longer than max_lifetime_s")


def _type(found: object) -> str:
    """Return a media type as it is compared (RFC 7515, section 4.1.9)."""
    return found.lower().removeprefix("application/") if isinstance(found, str) else ""
