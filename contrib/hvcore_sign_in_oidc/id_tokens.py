"""
Read ID tokens, and accept only tokens that the provider issued for this service.

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
    """Say that the provider's answer breaks a rule; the text names the rule, for the log."""


@attrs.frozen(kw_only=True)
class ExpectedToken:
    """
    Describe the sign-in to which an ID token must belong.

    Attributes:
        algorithms: The signature algorithms that are accepted.
        nonce: The nonce that was sent with the request for sign-in.
        is_first: Whether the token comes with the sign-in, and must contain the nonce.
            In a token of a refresh the nonce may be missing, but not be wrong.
        access_token: The access token that came with the ID token.
        now: The time at which the token must be valid.
    """

    algorithms: tuple[str, ...]
    nonce: str = attrs.field(repr=False)
    is_first: bool
    access_token: str = attrs.field(repr=False)
    now: datetime


@attrs.frozen(kw_only=True)
class IdTokenRules:
    """Check ID tokens against the rules of OpenID Connect."""

    issuer: str
    client_id: str

    def read(
        self,
        token: str,
        expected: ExpectedToken,
        key_named: Callable[[str | None], KeySet],
    ) -> Mapping[str, Any]:
        """
        Return the claims of an ID token that fulfils all rules.

        Args:
            key_named: Returns the provider's keys with the given name; called only if
                the token's algorithm is accepted.

        Raises:
            UntrustedAnswerError: The token is for another service, forged, expired, or
                unreadable.
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
