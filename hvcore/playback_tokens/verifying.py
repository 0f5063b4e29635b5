"""
Verify one playback token with the key that it names.

The algorithm that verifies the token follows from the key, never from the token.
"""

import base64
import re
from typing import Final

import attrs
import jwt

from hvcore.domain.playback.decision import passed
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.errors import UnauthorizedError
from hvcore.playback_tokens.claims import (
    LEEWAY_S,
    PlaybackClaims,
    not_before_unix,
    read_claims,
    restricted,
)
from hvcore.playback_tokens.keys import FindTokenKey, TokenKey

RULES: Final = (
    PlaybackRule.TOKEN_UNKNOWN_KEY,
    PlaybackRule.TOKEN_BROKEN,
    PlaybackRule.TOKEN_WRONG_ISSUER,
    PlaybackRule.TOKEN_FROM_FUTURE,
)
"""The rules that a verified token has kept, in the order of the checks."""
_REQUIRED: Final = ["exp", "iat", "iss", "aud", "sub"]
_COMPACT = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")
"""RFC 7515, section 7.1."""
_REFUSED = "The playback token is missing, not valid or expired; request a new one."


def key_of(token: str, find_key: FindTokenKey) -> TokenKey:
    """
    Return the key that the header of a playback token names.

    Raises:
        UnauthorizedError: The token is malformed, or names no known key.
    """
    if not _is_canonical(token):
        raise refused(PlaybackRule.TOKEN_BROKEN)
    try:
        kid = jwt.get_unverified_header(token).get("kid")
    except jwt.PyJWTError as exc:
        raise refused(PlaybackRule.TOKEN_BROKEN) from exc
    key = find_key(kid) if isinstance(kid, str) else None
    if key is None:
        raise refused(PlaybackRule.TOKEN_UNKNOWN_KEY)
    passed(PlaybackRule.TOKEN_UNKNOWN_KEY)
    return key


def verified(
    token: str, key: TokenKey, *, issuer: str, now_unix: float
) -> PlaybackClaims:
    """
    Check a token's signature by the key, its issuer and its beginning, and return the token's claims.

    The caller must check whether the token has expired.

    Args:
        issuer: The value that the claim ``iss`` must have.
        now_unix: The present time, in seconds since 1970.

    Raises:
        UnauthorizedError: The token is broken, of another issuer, or not valid yet.
    """
    try:
        # Times and audience are judged below: PyJWT asks the operating
        # system for the time, lets a float or 1e300 pass as ``exp``, and
        # the audience is not known before the token is read.
        payload = jwt.decode(
            token,
            key.public,
            algorithms=[key.algorithm],
            issuer=issuer,
            options={
                "require": _REQUIRED,
                "verify_exp": False,
                "verify_iat": False,
                "verify_nbf": False,
                "verify_aud": False,
                "enforce_minimum_key_length": True,
            },
        )
        claims = read_claims(payload if key.org_id is None else restricted(payload))
        begins_unix = max(claims.issued_at_unix, not_before_unix(payload))
    except jwt.InvalidIssuerError as exc:
        raise refused(PlaybackRule.TOKEN_WRONG_ISSUER) from exc
    except (jwt.PyJWTError, ValueError, OverflowError) as exc:
        raise refused(PlaybackRule.TOKEN_BROKEN) from exc
    passed(PlaybackRule.TOKEN_BROKEN, PlaybackRule.TOKEN_WRONG_ISSUER)
    if begins_unix > now_unix + LEEWAY_S:
        raise refused(PlaybackRule.TOKEN_FROM_FUTURE)
    passed(PlaybackRule.TOKEN_FROM_FUTURE)
    return attrs.evolve(claims, verified_by=key)


def refused(rule: PlaybackRule) -> UnauthorizedError:
    """Return the error for a playback token that breaks the given rule."""
    # One sentence for all: which rule it was tells a forger what to change.
    return UnauthorizedError(_REFUSED, rule=rule)


def _is_canonical(token: str) -> bool:
    # PyJWT also takes padding and, in the last character, bits that mean
    # nothing: four spellings of one signature. Only one is accepted.
    if _COMPACT.fullmatch(token) is None:
        return False
    signature = token.rpartition(".")[2]
    try:
        raw = base64.urlsafe_b64decode(signature + "=" * (-len(signature) % 4))
    except ValueError:
        return False
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode() == signature
