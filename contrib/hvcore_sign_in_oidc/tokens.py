"""
Exchange a code or a refresh token for tokens, at the provider's token endpoint.

Source: RFC 6749, sections 2.3.1, 4.1.3, 5 and 6; RFC 7636, section 4.5.
"""

import base64
import logging
import re
from typing import Final
from urllib.parse import quote_plus

import attrs
from authlib.oauth2.rfc6749.parameters import prepare_token_request

from hvcore.plugin_api import UnavailableError
from hvcore_openid_provider.provider_http import ProviderAnswer, ProviderExchange

_CODE: Final = re.compile(r"[a-z_]{1,40}")
_OUR_FAULT: Final = frozenset({"invalid_client", "unauthorized_client"})
_ENDED: Final = "invalid_grant"
_FORBIDDEN: Final = frozenset(
    {"access_denied", "login_required", "interaction_required", "consent_required"}
)
"""The error codes with which providers answer 403 about a person who may not sign in any
more. Other codes do not count: the standard has no 403 here, gateways answer 403, and some
of them say ``"error": "forbidden"`` in JSON."""
_NO_VERDICT: Final = _OUR_FAULT | {"server_error", "temporarily_unavailable"}
_MAX_CHARS: Final = 64 * 1024

_log = logging.getLogger(__name__)


class TokenRefusedError(Exception):
    """Say that the provider refuses a code or refresh token; the text is the error code."""


@attrs.frozen(kw_only=True)
class TokenAnswer:
    """
    Hold the tokens that an OpenID provider gave for a person.

    Attributes:
        id_token: The ID token; "" if there is none, as with some providers' refreshes.
        refresh_token: The new refresh token; "" if there is none.
    """

    id_token: str = attrs.field(repr=False)
    access_token: str = attrs.field(repr=False)
    refresh_token: str = attrs.field(repr=False)


@attrs.frozen(kw_only=True)
class TokenClient:
    """
    Ask a provider's token endpoint for tokens, with the credentials of the service.

    Attributes:
        client_secret: The service's secret; "" for a public client.
        method: How the secret is sent: ``client_secret_basic`` or
            ``client_secret_post``.
    """

    client_id: str
    client_secret: str = attrs.field(repr=False)
    method: str

    def redeem(
        self,
        exchange: ProviderExchange,
        endpoint: str,
        *,
        code: str,
        verifier: str,
        callback: str,
    ) -> TokenAnswer:
        """
        Return the tokens for the code of a sign-in.

        Args:
            endpoint: The URL of the provider's token endpoint.
            code: The code with which the browser came back.
            verifier: The code verifier of PKCE.
            callback: The address to which the provider sent the browser back.

        Raises:
            TokenRefusedError: The code was used before, has expired, or is unknown.
            UnavailableError: The provider does not answer, does not know this service,
                or answers without tokens.
        """
        return self._ask(
            exchange,
            endpoint,
            "authorization_code",
            code=code,
            code_verifier=verifier,
            redirect_uri=callback,
        )

    def refresh(
        self, exchange: ProviderExchange, endpoint: str, *, refresh_token: str
    ) -> TokenAnswer:
        """
        Return new tokens for a refresh token.

        Args:
            endpoint: The URL of the provider's token endpoint.

        Raises:
            TokenRefusedError: The refresh token has expired, or the person may not sign
                in any more.
            UnavailableError: The provider does not answer, does not know this service,
                or answers without tokens.
        """
        return self._ask(
            exchange, endpoint, "refresh_token", refresh_token=refresh_token
        )

    def _ask(
        self,
        exchange: ProviderExchange,
        endpoint: str,
        grant_type: str,
        **values: str,
    ) -> TokenAnswer:
        headers: dict[str, str] = {}
        if not self.client_secret:
            values["client_id"] = self.client_id
        elif self.method == "client_secret_post":
            values["client_id"] = self.client_id
            values["client_secret"] = self.client_secret
        else:
            headers["Authorization"] = self._basic()
        form = prepare_token_request(grant_type, **values)
        answer = exchange.post(endpoint, form, headers=headers)
        tokens = _tokens(answer) if answer.status == 200 else None  # noqa: PLR2004 - HTTP
        if tokens is None:
            raise _refusal(answer)
        return tokens

    def _basic(self) -> str:
        # Authlib joins them as they are; the standard wants them as in a form, and
        # secrets in base64 have a "+".
        pair = f"{quote_plus(self.client_id)}:{quote_plus(self.client_secret)}"
        return f"Basic {base64.b64encode(pair.encode()).decode()}"


def _tokens(answer: ProviderAnswer) -> TokenAnswer | None:
    """
    Return the tokens in an answer with status 200; None if no valid token is there.

    A page that says "maintenance" may have status 200, too, and so may an empty answer.
    """
    found = answer.json() or {}
    given = {
        name: found.get(name) or ""
        for name in ("id_token", "access_token", "refresh_token")
    }
    if not all(
        isinstance(text, str) and text.isascii() and len(text) <= _MAX_CHARS
        for text in given.values()
    ):
        return None
    if not given["access_token"].isprintable() or not given["access_token"]:
        return None
    return TokenAnswer(**given)


def _refusal(answer: ProviderAnswer) -> Exception:
    """
    Return the error for an answer of the token endpoint without tokens.

    The error is a TokenRefusedError only if the answer is about the person or the token,
    not if the provider is out of order or does not know this service.
    """
    found = (answer.json() or {}).get("error")
    code = found if isinstance(found, str) and _CODE.fullmatch(found) else ""
    is_refusal = (answer.status == 400 and code not in _NO_VERDICT) or (  # noqa: PLR2004 - HTTP
        answer.status == 403 and code in {_ENDED, *_FORBIDDEN}  # noqa: PLR2004 - HTTP
    )
    # Some say it with 200; other words of such an answer are no verdict.
    if (is_refusal and code) or (answer.status, code) == (200, _ENDED):
        return TokenRefusedError(code)
    _log.warning(
        "the sign-in provider gives no tokens",
        extra={"hv_status": answer.status, "hv_error": code},
    )
    if code in _OUR_FAULT or answer.status == 401:  # noqa: PLR2004 - HTTP
        return UnavailableError(
            "The sign-in provider does not know this service; whoever runs it must "
            "correct the client's id or secret (hv doctor)."
        )
    return UnavailableError("The sign-in provider does not answer; try again soon.")
