"""
Read ID tokens, and believe only what the provider says to this service.

Source: OpenID Connect Core 1.0, sections 3.1.3.7, 3.1.3.8 and 12.2; RFC 8725.
"""

import math
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import attrs
from authlib.oidc.core import CodeIDToken
from joserfc.jwk import KeySet

from hvcore_openid_provider.signed_tokens import (
    LEEWAY_S,
    UNREADABLE,
    read_signed_token,
    without_unread,
)


class UntrustedAnswerError(Exception):
    """The provider's answer breaks a rule; the text says which, for the log."""


@attrs.frozen(kw_only=True)
class ExpectedToken:
    """
    The sign-in to which one ID token must belong.

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
    """The rules that every ID token must fulfil."""

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
            read = read_signed_token(
                token,
                expected.algorithms,
                lambda said: key_named(said.key_name),
            )
            claims = CodeIDToken(
                without_unread(read.claims),
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
        except UNREADABLE as exc:
            raise UntrustedAnswerError(f"the ID token is refused: {exc}") from exc
        return dict(read.claims)

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
