"""
Read ID tokens, and believe only what the provider says to this service.

Source: OpenID Connect Core 1.0, sections 3.1.3.7, 3.1.3.8 and 12.2; RFC 8725.
"""

import math
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

import attrs
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import GuestProtocol, KeySet
from joserfc.jws import JWSRegistry

LEEWAY_S: Final = 60
"""Clocks of two machines differ a little."""


class UntrustedAnswerError(Exception):
    """
    The provider's answer breaks a rule; the text says which, for the log.
    """


class _Registry(JWSRegistry):
    # Certificates may stand in the header.
    max_header_length = 8192


@attrs.frozen(kw_only=True)
class ExpectedToken:
    """
    What one ID token must fit to.

    Attributes:
        algorithms: Of signatures that are believed.
        nonce: Sent with the request for sign-in.
        is_first: The nonce must be in the token; of a token that comes with a refresh,
            only a wrong one is refused.
        access_token: What came with it.
    """

    algorithms: tuple[str, ...]
    nonce: str = attrs.field(repr=False)
    is_first: bool
    access_token: str = attrs.field(repr=False)
    now: datetime


@attrs.frozen(kw_only=True)
class IdTokenRules:
    """
    What every ID token must fulfil.
    """

    issuer: str
    client_id: str

    def read(
        self,
        token: str,
        expected: ExpectedToken,
        key_named: Callable[[str | None], KeySet],
    ) -> Mapping[str, Any]:
        """
        Return the claims of a token.

        Args:
            key_named: Called with the name of the key, once the algorithm is one of
                those that are believed.

        Raises:
            UntrustedAnswerError: It is not for us, forged, old, or unreadable.
        """
        try:
            read = jwt.decode(
                token,
                _key_of(key_named),
                registry=_Registry(
                    algorithms=expected.algorithms, strict_check_header=False
                ),
            )
            claims = CodeIDToken(
                read.claims,
                read.header,
                options={
                    "iss": {"essential": True, "value": self.issuer},
                    "aud": {"essential": True, "value": self.client_id},
                    "sub": {"essential": True},
                },
                params=self._params(read.claims, expected),
            )
            now = math.floor(expected.now.timestamp())
            claims.validate(now=now, leeway=LEEWAY_S)
        except (JoseError, TypeError, ValueError, KeyError, RecursionError) as exc:
            raise UntrustedAnswerError(f"the ID token is refused: {exc}") from exc
        return dict(claims)

    def _params(
        self, claims: Mapping[str, Any], expected: ExpectedToken
    ) -> dict[str, str]:
        params = {
            "client_id": self.client_id,
            "access_token": expected.access_token,
        }
        if expected.is_first or "nonce" in claims:
            params["nonce"] = expected.nonce
        return params


def _key_of(
    key_named: Callable[[str | None], KeySet],
) -> Callable[[GuestProtocol], KeySet]:
    def find(token: GuestProtocol) -> KeySet:
        name = token.headers().get("kid")
        return key_named(name if isinstance(name, str) else None)

    return find
