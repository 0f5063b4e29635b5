"""
Sign people in at an OpenID provider, and ask the provider later for their roles.

Source: OpenID Connect Core 1.0, sections 3.1 (code flow) and 12 (refresh tokens);
RFC 7636 (PKCE); RFC 9207; RFC 9700 (best current practice).
"""

import logging
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

from authlib.oauth2.rfc6749.parameters import prepare_grant_uri
from authlib.oauth2.rfc7636 import create_s256_code_challenge

from hvcore.plugin_api import (
    Clock,
    MembershipEndedError,
    RefreshInterruptedError,
    SignInOutcome,
    SignInPages,
    SignInProvider,
    SignInRefusedError,
    SignInStart,
    UnavailableError,
)
from hvcore_openid_provider.description import ProviderDescription
from hvcore_openid_provider.name_pairs import ambiguities
from hvcore_openid_provider.provider_http import (
    ProviderExchange,
    ProviderHttp,
    ProviderSettings,
)
from hvcore_sign_in_oidc.group_rules import ambiguous_rules
from hvcore_sign_in_oidc.id_tokens import UntrustedAnswerError
from hvcore_sign_in_oidc.metadata import ProviderMetadata, read_metadata
from hvcore_sign_in_oidc.options import OidcOptions
from hvcore_sign_in_oidc.people import PersonReader
from hvcore_sign_in_oidc.states import BegunState, HeldState
from hvcore_sign_in_oidc.tokens import TokenAnswer, TokenClient, TokenRefusedError

MAX_CODE_CHARS: Final = 4096
MAX_HINT_CHARS: Final = 3000
"""The longest ID token that a sign-out address contains; some servers refuse longer
addresses."""
_AGAIN: Final = "The sign-in was used already, or it took too long; begin again."
_UNTRUSTED: Final = (
    "The sign-in provider's answer cannot be trusted; begin again, and tell who runs "
    "the service if that does not help."
)

_log = logging.getLogger(__name__)


class OidcSignIn(SignInProvider):
    """Sign people in at an OpenID provider, by the authorization code flow with PKCE."""

    def __init__(self, options: OidcOptions, *, clock: Clock) -> None:
        self._options = options
        self._http = ProviderHttp(
            ProviderSettings(
                issuer=options.issuer,
                further_hosts=options.further_hosts,
                called="The sign-in provider",
                section="sign_in.oidc",
            )
        )
        self._description = ProviderDescription(self._http, read_metadata)
        self._people = PersonReader(options, self._http, clock)
        self._client = TokenClient(
            client_id=options.client_id,
            client_secret=options.client_secret,
            method=options.client_authentication,
        )

    def begin(self, pages: SignInPages, state: str) -> SignInStart:
        metadata = self._description.get(self._http.begin())
        begun = BegunState(
            issuer=self._options.issuer,
            nonce=secrets.token_urlsafe(32),
            verifier=secrets.token_urlsafe(48),
        )
        further = dict(pair.split("=", 1) for pair in self._options.parameters)
        address = prepare_grant_uri(
            metadata.authorization_endpoint,
            self._options.client_id,
            "code",
            redirect_uri=pages.callback,
            scope=self._scopes(metadata),
            state=state,
            nonce=begun.nonce,
            code_challenge=create_s256_code_challenge(begun.verifier),
            code_challenge_method="S256",
            **further,
        )
        return SignInStart(address=address, private=begun.dump())

    def complete(
        self, parameters: Mapping[str, str], pages: SignInPages, private: str
    ) -> SignInOutcome:
        begun = BegunState.load(private)
        if begun is None or begun.issuer != self._options.issuer:
            raise SignInRefusedError(_AGAIN)
        exchange = self._http.begin()
        metadata = self._description.get(exchange)
        code = self._code_of(parameters, metadata)
        try:
            tokens = self._client.redeem(
                exchange,
                metadata.token_endpoint,
                code=code,
                verifier=begun.verifier,
                callback=pages.callback,
            )
            claims = self._people.claims(
                exchange, metadata, tokens, nonce=begun.nonce, is_first=True
            )
            identity = self._people.identity(exchange, metadata, tokens, claims)
        except TokenRefusedError as exc:
            raise SignInRefusedError(_AGAIN) from exc
        except UntrustedAnswerError as exc:
            _log.warning("a sign-in is refused", extra={"hv_why": str(exc)})
            raise SignInRefusedError(_UNTRUSTED) from exc
        held = self._held(tokens, metadata, begun, identity.subject)
        return SignInOutcome(identity=identity, refresh_state=held.dump())

    def refresh(self, refresh_state: str) -> SignInOutcome:
        held = HeldState.load(refresh_state)
        if held is None or held.issuer != self._options.issuer:
            raise MembershipEndedError("signed in at another provider")
        if not held.refresh_token:
            raise MembershipEndedError("the provider gave no refresh token")
        exchange = self._http.begin()
        # Before the refresh token is used up, in case the provider is down.
        metadata = self._description.get(exchange)
        try:
            tokens = self._client.refresh(
                exchange, metadata.token_endpoint, refresh_token=held.refresh_token
            )
            held = held.renewed(tokens.refresh_token, tokens.id_token)
            return self._refreshed(exchange, metadata, tokens, held)
        except TokenRefusedError as exc:
            raise MembershipEndedError(f"the provider answers {exc}") from exc
        except UntrustedAnswerError as exc:
            raise MembershipEndedError(str(exc)) from exc

    def sign_out_address(self, refresh_state: str, pages: SignInPages) -> str | None:
        held = HeldState.load(refresh_state)
        if held is None or not self._http.allows(held.sign_out):
            return None
        given = {
            "client_id": self._options.client_id,
            "post_logout_redirect_uri": pages.signed_out,
        }
        if held.id_token and len(held.id_token) <= MAX_HINT_CHARS:
            given["id_token_hint"] = held.id_token
        parts = urlsplit(held.sign_out)
        query = "&".join(filter(None, [parts.query, urlencode(given)]))
        return parts._replace(query=query).geturl()

    def ping(self) -> None:
        exchange = self._http.begin()
        self._people.ping(exchange, self._description.fetch(exchange))

    def ambiguous_settings(self) -> Sequence[str]:
        options = self._options
        return [
            *ambiguous_rules(options.roles, options.separator),
            *ambiguities(
                "organizations", options.organizations, ignored=options.separator
            ),
        ]

    def _scopes(self, metadata: ProviderMetadata) -> str:
        if self._options.scopes:
            return self._options.scopes
        further = {"offline_access"} & metadata.scopes
        return " ".join(["openid profile email", *further])

    def _code_of(
        self, parameters: Mapping[str, str], metadata: ProviderMetadata
    ) -> str:
        """
        Return the authorization code in the provider's answer to a sign-in.

        Raises:
            SignInRefusedError: The answer is not this provider's (``iss``), reports an
                error, or has no valid code.
        """
        issuer = parameters.get("iss")
        if issuer != self._options.issuer and (issuer or metadata.names_itself):
            # Or another provider's code would be sent to this one (RFC 9207).
            raise SignInRefusedError(_UNTRUSTED)
        if parameters.get("error") == "access_denied":
            raise SignInRefusedError(
                "The sign-in provider did not let you in. Begin again with another "
                "account, or ask who looks after it there."
            )
        code = parameters.get("code", "")
        is_code = code.isascii() and code.isprintable() and len(code) <= MAX_CODE_CHARS
        if not code or not is_code or parameters.get("error"):
            raise SignInRefusedError
        return code

    def _refreshed(
        self,
        exchange: ProviderExchange,
        metadata: ProviderMetadata,
        tokens: TokenAnswer,
        held: HeldState,
    ) -> SignInOutcome:
        """
        Return the person's present identity, read from the tokens of a refresh.

        Raises:
            RefreshInterruptedError: The provider does not answer. The new refresh token
                is kept, because the provider may not accept the old one again.
            UntrustedAnswerError: The answer is forged, or about another person.
        """
        try:
            claims: Mapping[str, Any] = {"sub": held.subject}
            # Some give no ID token with a refresh; then userinfo alone tells.
            if tokens.id_token:
                claims = self._people.claims(
                    exchange, metadata, tokens, nonce=held.nonce, is_first=False
                )
            if claims["sub"] != held.subject:
                raise UntrustedAnswerError("the ID token is another person's")
            identity = self._people.identity(exchange, metadata, tokens, claims)
        except UnavailableError as exc:
            raise RefreshInterruptedError(
                exc.detail, refresh_state=held.dump()
            ) from exc
        return SignInOutcome(identity=identity, refresh_state=held.dump())

    def _held(
        self,
        tokens: TokenAnswer,
        metadata: ProviderMetadata,
        begun: BegunState,
        subject: str,
    ) -> HeldState:
        if not tokens.refresh_token:
            _log.warning(
                "the sign-in provider gives no refresh token: people must sign in "
                "every few minutes",
                extra={"hv_scopes": self._scopes(metadata)},
            )
        return HeldState(
            issuer=self._options.issuer,
            subject=subject,
            nonce=begun.nonce,
            refresh_token=tokens.refresh_token,
            id_token=tokens.id_token,
            sign_out=metadata.end_session_endpoint,
        )
