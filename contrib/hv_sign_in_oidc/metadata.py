"""
What the provider says of itself.

Source: OpenID Connect Discovery 1.0, section 4; RFC 9207; RP-Initiated Logout 1.0,
section 2.1.
"""

import time
from collections.abc import Mapping
from typing import Any, Final

import attrs
from authlib.oidc.discovery import get_well_known_url

from hv_sign_in_oidc.provider_http import ProviderExchange, ProviderHttp
from hvcore.plugin_api import UnavailableError

ALGORITHMS: Final = tuple(
    f"{kind}{bits}" for kind in ("RS", "PS", "ES") for bits in (256, 384, 512)
)
"""
Those of signatures that anybody can check and only the provider can make.

Never ``none``, nor ``HS…``: who has the public key or the client secret could sign.
"""
BELIEVED_S: Final = 3600.0


@attrs.frozen(kw_only=True)
class ProviderMetadata:
    """
    A provider's endpoints, and what it can do.

    Attributes:
        end_session_endpoint: "" if people cannot sign out there.
        userinfo_endpoint: "" if there is none.
        algorithms: Of its ID tokens, those that we believe.
        scopes: Those that it tells.
        names_itself: Its answers to browsers carry ``iss``.
    """

    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str
    end_session_endpoint: str
    algorithms: tuple[str, ...]
    scopes: frozenset[str]
    names_itself: bool


class ProviderDescription:
    """
    The provider's metadata, fetched when needed and believed for an hour; thread-safe.
    """

    def __init__(self, issuer: str, http: ProviderHttp) -> None:
        self._issuer = issuer
        self._http = http
        self._known: tuple[ProviderMetadata, float] | None = None

    def get(self, exchange: ProviderExchange) -> ProviderMetadata:
        """
        Return the metadata.

        Raises:
            UnavailableError: They cannot be had, or cannot be used; it says why.
        """
        known = self._known
        if known is not None and time.monotonic() < known[1] + BELIEVED_S:
            return known[0]
        return self.fetch(exchange)

    def fetch(self, exchange: ProviderExchange) -> ProviderMetadata:
        """
        Return the metadata as they are now.

        Raises:
            UnavailableError: Likewise.
        """
        address = get_well_known_url(self._issuer, external=True)
        answer = exchange.get(address)
        found = answer.json()
        if answer.status != 200 or found is None:  # noqa: PLR2004 - HTTP
            raise UnavailableError(
                f"The sign-in provider answered {answer.status} at {address}; "
                "is sign_in.oidc.issuer its address?"
            )
        metadata = self._read(found)
        self._known = (metadata, time.monotonic())
        return metadata

    def _read(self, found: Mapping[str, Any]) -> ProviderMetadata:
        if found.get("issuer") != self._issuer:
            # Or another provider's tokens would be taken for this one's.
            raise UnavailableError(
                f"The sign-in provider calls itself {str(found.get('issuer'))[:200]!r}, "
                f"and sign_in.oidc.issuer is {self._issuer!r}; they must be equal."
            )
        offered = _texts(found, "id_token_signing_alg_values_supported")
        algorithms = tuple(name for name in ALGORITHMS if name in offered)
        if not algorithms:
            raise UnavailableError(
                "The sign-in provider signs with none of: " + ", ".join(ALGORITHMS)
            )
        return ProviderMetadata(
            authorization_endpoint=self._endpoint(found, "authorization_endpoint"),
            token_endpoint=self._endpoint(found, "token_endpoint"),
            jwks_uri=self._endpoint(found, "jwks_uri"),
            # Judged when it is asked, which the settings may forbid.
            userinfo_endpoint=str(found.get("userinfo_endpoint") or ""),
            end_session_endpoint=self._optional(found, "end_session_endpoint"),
            algorithms=algorithms,
            scopes=frozenset(_texts(found, "scopes_supported")),
            names_itself=(
                found.get("authorization_response_iss_parameter_supported") is True
            ),
        )

    def _endpoint(self, found: Mapping[str, Any], name: str) -> str:
        address = _text(found, name)
        if not self._http.allows(address):
            raise UnavailableError(
                f"The sign-in provider's {name} is {address[:200]!r}; if that is "
                "right, add its host to sign_in.oidc.further_hosts."
            )
        return address

    def _optional(self, found: Mapping[str, Any], name: str) -> str:
        return self._endpoint(found, name) if found.get(name) else ""


def _text(found: Mapping[str, Any], name: str) -> str:
    value = found.get(name)
    return value if isinstance(value, str) else ""


def _texts(found: Mapping[str, Any], name: str) -> list[str]:
    value = found.get(name)
    values = value if isinstance(value, list) else []
    return [text for text in values if isinstance(text, str)]
