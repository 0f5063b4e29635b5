"""
Authenticate callers of the API that send an access token of an OpenID provider.

Source: RFC 6750, section 2.1; RFC 9068.
"""

import logging
import time
from collections.abc import Sequence
from typing import Final

from joserfc.jwk import KeySet

from hvcore.plugin_api import (
    AuthProvider,
    BearerScheme,
    Clock,
    Credentials,
    Principal,
    UnauthorizedError,
)
from hvcore_auth_oidc.access_tokens import AccessTokenRules, RefusedTokenError
from hvcore_auth_oidc.callers import CallerRules, NoCallerError
from hvcore_auth_oidc.options import AccessTokenOptions
from hvcore_auth_oidc.provider_keys import ProviderKeys, UnknownKeyError
from hvcore_openid_provider.name_pairs import ambiguities
from hvcore_openid_provider.provider_http import ProviderHttp, ProviderSettings
from hvcore_openid_provider.signed_tokens import SignedToken

HEADER: Final = "authorization"
NOTED_EVERY_S: Final = 1.0
"""The seconds between two log lines about refused tokens, so that nobody can fill the log."""
MAX_WHY_CHARS: Final = 200

_log = logging.getLogger(__name__)


class AccessTokenProvider(AuthProvider):
    """An authentication provider that recognises callers by an OpenID access token."""

    def __init__(self, options: AccessTokenOptions, *, clock: Clock) -> None:
        self.scheme = BearerScheme(
            name="AccessToken",
            bearer_format="JWT",
            about=f"An access token of {options.issuer} for {options.audience}.",
        )
        self._options = options
        self._clock = clock
        self._noted_at_s = -NOTED_EVERY_S
        self._http = ProviderHttp(
            ProviderSettings(
                issuer=options.issuer,
                further_hosts=options.further_hosts,
                called="The OpenID provider",
                section="auth.options.oidc",
            )
        )
        self._keys = ProviderKeys(self._http)
        self._tokens = AccessTokenRules(options=options)
        self._callers = CallerRules.of(options)

    def authenticate(self, credentials: Credentials) -> Principal | None:
        """
        Return the principal that a token was issued for, or None without a token.

        Raises:
            UnauthorizedError: The token is not valid. Why is in the log.
            UnavailableError: The provider does not say with which keys it signs.
        """
        kind, _, token = credentials.headers.get(HEADER, "").partition(" ")
        if kind.lower() != "bearer":
            return None
        now = self._clock.now()

        def keys_for(said: SignedToken) -> KeySet:
            age_s = now.timestamp() - said.claims["iat"]
            return self._keys.named(said.key_name, token_age_s=age_s)

        try:
            claims = self._tokens.read(token, now, keys_for)
            return self._callers.caller(claims)
        except (RefusedTokenError, UnknownKeyError, NoCallerError) as exc:
            self._note(exc)
            raise UnauthorizedError from exc

    def ambiguous_settings(self) -> Sequence[str]:
        options = self._options
        return [
            *ambiguities("organizations", options.organizations),
            *ambiguities("environments", options.environments),
            # A scope may be there several times, and permits all of it then.
            *ambiguities("permissions", options.permissions, may_repeat=True),
        ]

    def _note(self, error: Exception) -> None:
        now_s = time.monotonic()
        if now_s >= self._noted_at_s + NOTED_EVERY_S:
            self._noted_at_s = now_s
            _log.info("an access token is refused", extra={"hv_why": _why(error)})


def _why(error: Exception) -> str:
    # Some of it may be what a stranger has written.
    text = str(error).encode("ascii", "backslashreplace").decode()[:MAX_WHY_CHARS]
    return text or "its key is none of the provider's"
