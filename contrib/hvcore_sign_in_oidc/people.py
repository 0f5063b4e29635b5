"""
Read a person's identity from the provider's ID token and userinfo.

Source: OpenID Connect Core 1.0, section 5.3.
"""

from collections.abc import Mapping
from typing import Any

from hvcore.plugin_api import Clock, Identity, UnavailableError
from hvcore_openid_provider.provider_http import ProviderExchange, ProviderHttp
from hvcore_openid_provider.signing_keys import SigningKeys
from hvcore_sign_in_oidc.claims import ClaimRules
from hvcore_sign_in_oidc.id_tokens import (
    ExpectedToken,
    IdTokenRules,
    UntrustedAnswerError,
)
from hvcore_sign_in_oidc.metadata import ProviderMetadata
from hvcore_sign_in_oidc.options import OidcOptions
from hvcore_sign_in_oidc.tokens import TokenAnswer


class PersonReader:
    """Read a person's identity from a provider's tokens; thread-safe."""

    def __init__(self, options: OidcOptions, http: ProviderHttp, clock: Clock) -> None:
        self._asks_userinfo = options.userinfo
        self._http = http
        self._clock = clock
        self._keys = SigningKeys(http.settings)
        self._rules = ClaimRules.of(options)
        self._id_tokens = IdTokenRules(
            issuer=options.issuer, client_id=options.client_id
        )

    def claims(
        self,
        exchange: ProviderExchange,
        metadata: ProviderMetadata,
        tokens: TokenAnswer,
        *,
        nonce: str,
        is_first: bool,
    ) -> Mapping[str, Any]:
        """
        Return the claims of the ID token among the provider's tokens.

        Args:
            nonce: The nonce that was sent with the request for sign-in.
            is_first: Whether the tokens come with a sign-in, and not with a refresh.

        Raises:
            UntrustedAnswerError: The ID token breaks a rule.
            UnavailableError: The provider's keys cannot be fetched.
        """
        expected = ExpectedToken(
            algorithms=metadata.algorithms,
            nonce=nonce,
            is_first=is_first,
            access_token=tokens.access_token,
            now=self._clock.now(),
        )
        return self._id_tokens.read(
            tokens.id_token,
            expected,
            lambda name: self._keys.get(exchange, metadata.jwks_uri, name),
        )

    def identity(
        self,
        exchange: ProviderExchange,
        metadata: ProviderMetadata,
        tokens: TokenAnswer,
        claims: Mapping[str, Any],
    ) -> Identity:
        """
        Return the person's identity, by the claims and the answer of userinfo.

        Raises:
            UntrustedAnswerError: Userinfo describes another person, or refuses the
                access token.
            UnavailableError: Userinfo does not answer, or its host is not allowed.
        """
        subject = claims["sub"]
        sources = [claims]
        if endpoint := self._userinfo_endpoint(metadata):
            answer = exchange.get(endpoint, token=tokens.access_token)
            if answer.refuses_token:
                raise UntrustedAnswerError("userinfo does not take the access token")
            found = answer.json() or {}
            told = found.get("sub")
            # Without a subject it is about nobody: some page that happens to be JSON.
            if answer.status != 200 or not isinstance(told, str):  # noqa: PLR2004 - HTTP
                raise UnavailableError(
                    "The sign-in provider says nothing about the person; if it never "
                    "does, set HV_SIGN_IN__OIDC__USERINFO=false."
                )
            if told != subject:
                raise UntrustedAnswerError("userinfo is about another person")
            sources.append(found)
        return self._rules.identity(subject, sources)

    def ping(self, exchange: ProviderExchange, metadata: ProviderMetadata) -> None:
        """
        Check that the provider's keys can be fetched and userinfo's host is allowed.

        Raises:
            UnavailableError: Either fails; the text says what to do.
        """
        self._keys.fetch(exchange, metadata.jwks_uri)
        self._userinfo_endpoint(metadata)

    def _userinfo_endpoint(self, metadata: ProviderMetadata) -> str:
        endpoint = metadata.userinfo_endpoint if self._asks_userinfo else ""
        if endpoint and not self._http.allows(endpoint):
            raise UnavailableError(
                f"The sign-in provider's userinfo_endpoint is {endpoint[:200]!r}; add "
                "its host to HV_SIGN_IN__OIDC__FURTHER_HOSTS, or set "
                "HV_SIGN_IN__OIDC__USERINFO=false."
            )
        return endpoint
