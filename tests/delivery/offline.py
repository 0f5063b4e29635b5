"""
Tokens as a customer's own server signs them, without a request.
"""

from collections.abc import Mapping

import jwt

from hvcore.services.playback.signing.keys import SigningKeyCreated
from tests.support.http.cinema import Cinema


def claims_of(cinema: Cinema, **changes: object) -> dict[str, object]:
    """
    Return what a good token says; None leaves a claim out.
    """
    now = int(cinema.api.clock.now().timestamp())
    claims: dict[str, object] = {
        "iss": cinema.api.services.settings.playback.issuer,
        "sub": cinema.video,
        "aud": cinema.video,
        "iat": now,
        "exp": now + 3600,
        **changes,
    }
    return {name: value for name, value in claims.items() if value is not None}


def signed_offline(
    cinema: Cinema,
    made: SigningKeyCreated,
    *,
    key: str | bytes | None = None,
    algorithm: str | None = None,
    headers: Mapping[str, object] | None = None,
    **changes: object,
) -> str:
    """
    Sign a token with an organization's key.

    Args:
        key: Another one than the kid names.
        algorithm: Another one than the key's.
        headers: Other ones than the kid.
        changes: Of the claims; see claims_of.
    """
    return jwt.encode(
        claims_of(cinema, **changes),
        key if key is not None else made.private or "",
        algorithm=algorithm or made.key.algorithm.value,
        headers=dict(headers) if headers is not None else {"kid": made.key.id},
    )
