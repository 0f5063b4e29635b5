"""
Issue and verify playback tokens.

Source: the interface document, "Authentication", 7 and 8. One key signs, further ones only
verify, so keys can be rotated.
"""

import hashlib
import secrets
import threading
from collections import OrderedDict
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Final

import jwt

from hvcore.domain.access.own_keys import OwnKeys, StoredKeys
from hvcore.domain.access.service_keys import PLAYBACK
from hvcore.domain.ids import PublicId, ShareLinkId, VideoId
from hvcore.domain.limits import MAX_TOKEN_BYTES
from hvcore.domain.playback.decision import passed
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.errors import ConfigError, InvalidParametersError
from hvcore.playback_tokens.claims import (
    LEEWAY_S,
    MAX_VALID_S,
    PlaybackClaims,
    TokenUse,
)
from hvcore.playback_tokens.keys import FindTokenKey, TokenKey
from hvcore.playback_tokens.verifying import RULES, key_of, refused, verified

MAX_CACHED_TOKENS: Final = 10_000
"""About 15 MB; verifying costs 30 µs, finding a verified token 1 µs."""


class KeyRing:
    """
    Issue and verify the playback tokens of one service; thread-safe.

    Args:
        issuer: The value of the claim ``iss`` of all tokens.
        keys: The keys of the settings. The first one signs until it is rotated, all of them
            verify.
        rotated: The stored keys that replace the keys of the settings.

    Attributes:
        own_keys: The service's own keys: the key that signs at a moment, and the keys that are
            accepted.

    Raises:
        ConfigError: There is no key, two keys have the same id, or the first key cannot sign.
    """

    def __init__(
        self,
        *,
        issuer: str,
        keys: Sequence[TokenKey],
        rotated: StoredKeys[TokenKey] | None = None,
    ) -> None:
        if not keys or keys[0].private is None:
            raise ConfigError("Playback tokens need a key that signs, named first.")
        by_kid = {key.kid: key for key in keys}
        if len(by_kid) != len(keys):
            raise ConfigError("Two keys of playback tokens have the same id.")
        self.own_keys = OwnKeys(purpose=PLAYBACK, settings=by_kid, rotated=rotated)
        self._issuer = issuer
        self._verified: OrderedDict[str, PlaybackClaims] = OrderedDict()
        self._lock = threading.Lock()

    def issue(  # noqa: PLR0913 - one per claim
        self,
        *,
        video_id: VideoId,
        public_id: PublicId,
        now: datetime,
        valid_s: int,
        use: TokenUse = TokenUse.PLAYBACK,
        domains: Sequence[str] = (),
        domain_list: str | None = None,
        share_id: ShareLinkId | None = None,
    ) -> str:
        """
        Return a new playback token, signed with the service's present key.

        Args:
            valid_s: The seconds for which the token is valid: from 1 to 604800 (7 days).
            domains: Host names of the pages that may use the token, in lower case; ``*.`` before
                a name means its subdomains.
            domain_list: The id of a stored list of domains, which the token names instead of the
                domains.
            share_id: The id of the share link that the token is bound to.

        Raises:
            InvalidParametersError: There are so many domains that the token would be
                refused for its length.
        """
        if not 1 <= valid_s <= MAX_VALID_S:
            raise ValueError(f"valid_s must be from 1 to {MAX_VALID_S}")
        issued_at = int(now.timestamp())
        claims: dict[str, object] = {
            "iss": self._issuer,
            "sub": video_id,
            "aud": public_id,
            "iat": issued_at,
            "exp": issued_at + valid_s,
            "jti": _token_id(use, video_id, issued_at),
            "use": use.value,
        }
        if domain_list is not None:
            # In the place of the list: who knows only lists refuses the token, where
            # he would not miss a claim of its own.
            claims["domains"] = domain_list
        elif domains:
            claims["domains"] = list(domains)
        if share_id is not None:
            claims["share"] = share_id
        token = self._signed(claims, self.signing_key(now))
        if len(token) > MAX_TOKEN_BYTES:
            raise InvalidParametersError(
                "domains has too many entries; use patterns such as *.example.com."
            )
        return token

    def verify(
        self, token: str, now: datetime, find_key: FindTokenKey | None = None
    ) -> PlaybackClaims:
        """
        Return the claims of a token that was signed by a known key and is valid.

        Args:
            find_key: Finds a key by its id, also an organization's. A token signed with an
                organization's key opens videos of that organization alone, which the caller must
                check. By default only the service's own keys are found.

        Raises:
            UnauthorizedError: The token is broken, expired or signed by an unknown key.
        """
        now_unix = now.timestamp()
        find_key = find_key or partial(self._find_own, now=now)
        if len(token) > MAX_TOKEN_BYTES or not token.isascii():
            raise refused(PlaybackRule.TOKEN_BROKEN)
        # By the whole token, kid and signature included: what differs in one
        # character is another entry and is verified by itself.
        claims = self._recall(token)
        if claims is not None and not _is_in_force(claims.verified_by, find_key):
            claims = None
        if claims is None:
            key = key_of(token, find_key)
            claims = verified(token, key, issuer=self._issuer, now_unix=now_unix)
            self._remember(token, claims)
        else:
            passed(*RULES)
        if now_unix >= claims.expires_at_unix + LEEWAY_S:
            with self._lock:
                self._verified.pop(token, None)
            raise refused(PlaybackRule.TOKEN_EXPIRED)
        passed(PlaybackRule.TOKEN_EXPIRED)
        return claims

    def signing_key(self, now: datetime) -> TokenKey:
        """
        Return the service's key that signs playback tokens at a moment.

        Raises:
            ConfigError: The key was sealed with a secret that was replaced since.
            UnavailableError: The database does not answer.
        """
        return self.own_keys.signing(now)[1]

    def keys(self, now: datetime) -> Sequence[TokenKey]:
        """
        Return the service's keys that verify playback tokens at a moment.

        Raises:
            UnavailableError: The database does not answer.
        """
        return [*self.own_keys.believed(self.own_keys.stored(), now).values()]

    def jwks(self, now: datetime) -> dict[str, list[dict[str, str]]]:
        """Return the public keys that verify playback tokens at a moment as a JWK set (RFC 7517), without any secrets."""
        keys = (key.public_jwk() for key in self.keys(now))
        return {"keys": [jwk for jwk in keys if jwk is not None]}

    def _find_own(self, kid: str, now: datetime) -> TokenKey | None:
        return self.own_keys.find(kid, self.own_keys.stored(), now)

    def _signed(self, claims: dict[str, object], key: TokenKey) -> str:
        if key.private is None:
            raise ConfigError("The playback key only verifies.")
        return jwt.encode(
            claims, key.private, algorithm=key.algorithm, headers={"kid": key.kid}
        )

    def _recall(self, token: str) -> PlaybackClaims | None:
        with self._lock:
            claims = self._verified.get(token)
            if claims is not None:
                self._verified.move_to_end(token)
            return claims

    def _remember(self, token: str, claims: PlaybackClaims) -> None:
        with self._lock:
            self._verified[token] = claims
            while len(self._verified) > MAX_CACHED_TOKENS:
                self._verified.popitem(last=False)


def _token_id(use: TokenUse, video_id: VideoId, issued_at: int) -> str:
    if use is TokenUse.THUMBNAIL:
        # Every process makes the same token of the same hour, so that a
        # browser that has its picture asks no more.
        return hashlib.sha256(f"{video_id} {issued_at}".encode()).hexdigest()[:16]
    return secrets.token_urlsafe(12)


def _is_in_force(key: TokenKey | None, find_key: FindTokenKey) -> bool:
    return key is not None and find_key(key.kid) is key
