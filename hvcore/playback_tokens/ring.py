"""
Issue and verify playback tokens.

Source: interface, "Authentication", 7 and 8. Which algorithm verifies a token
follows from the key that its ``kid`` names, never from the token. One key
signs, further ones only verify, so keys can be rotated.
"""

import base64
import hashlib
import re
import secrets
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from enum import Enum
from functools import partial
from typing import Final

import attrs
import jwt

from hvcore.domain.ids import PublicId, ShareId, VideoId
from hvcore.domain.limits import MAX_TOKEN_BYTES, SIGNED_URL_EXPIRATIONS_S
from hvcore.domain.playback.decision import passed
from hvcore.domain.playback.domain_lists import is_domain_list_id
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.domain.playback.service_keys import ServiceKey, signing_order
from hvcore.errors import ConfigError, InvalidParametersError, UnauthorizedError
from hvcore.playback_tokens.keys import FindTokenKey, StoredKeys, TokenKey

LEEWAY_S: Final = 5
"""How far the clocks of two machines may differ."""
MAX_CACHED_TOKENS: Final = 10_000
"""About 15 MB; verifying costs 30 µs, finding a verified token 1 µs."""
MAX_VALID_S: Final = max(SIGNED_URL_EXPIRATIONS_S.values())
"""Of any token; this service issues none that claims more."""

_REQUIRED: Final = ["exp", "iat", "iss", "aud", "sub"]
_COMPACT = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")
"""RFC 7515, section 7.1."""
_REFUSED = "The playback token is missing, not valid or expired; request a new one."


class TokenUse(Enum):
    """
    What a token opens: a thumbnail token opens thumbnails only.

    SHARE is one playback session of a share link. SHARE_VIEWER says that the viewer
    of a share link was recognised and may begin a session. SOURCE opens the file that
    was uploaded, and nothing else.
    """

    PLAYBACK = "playback"
    THUMBNAIL = "thumbnail"
    SHARE = "share"
    SHARE_VIEWER = "share-viewer"
    SOURCE = "source"


_OF_ORGANIZATIONS: Final = frozenset(
    {TokenUse.PLAYBACK.value, TokenUse.THUMBNAIL.value}
)
_OF_SHARES: Final = frozenset({TokenUse.SHARE, TokenUse.SHARE_VIEWER})


@attrs.frozen(kw_only=True)
class PlaybackClaims:
    """
    What a token says.

    Attributes:
        domains: The pages that may use it; empty means every page.
        domain_list: What names them instead, if they are many.
        share_id: The share link that it is bound to, if it is.
        verified_by: The key that verified it.
    """

    video_id: VideoId
    public_id: PublicId
    use: TokenUse
    issued_at_unix: int
    expires_at_unix: int
    domains: tuple[str, ...] = ()
    domain_list: str | None = None
    share_id: str | None = None
    verified_by: TokenKey | None = attrs.field(default=None, eq=False, repr=False)

    @property
    def signed_by(self) -> TokenKey | None:
        """
        The organization's key that signed it; None: the service's own.
        """
        key = self.verified_by
        return key if key is not None and key.org_id is not None else None

    @property
    def expires_at(self) -> datetime:
        """
        When it is over, as it says itself.
        """
        return datetime.fromtimestamp(self.expires_at_unix, UTC)

    @property
    def ends_at(self) -> datetime:
        """
        When the token is refused from on: clocks differ.
        """
        return datetime.fromtimestamp(self.expires_at_unix + LEEWAY_S, UTC)

    def names(self, video_id: str) -> bool:
        """
        Return whether the token was made for this ``vid_`` or ``pubvid_`` id.
        """
        return video_id in {self.video_id, self.public_id}


class KeyRing:
    """
    Issue and verify the tokens of one service; thread-safe.

    Args:
        issuer: The fixed identifier in ``iss``.
        keys: Of the settings. The first one signs until it is rotated, all of them
            verify.
        rotated: The keys that have taken their place.

    Raises:
        ConfigError: No key, two of one id, or a first one that cannot sign.
    """

    def __init__(
        self,
        *,
        issuer: str,
        keys: Sequence[TokenKey],
        rotated: StoredKeys | None = None,
    ) -> None:
        if not keys or keys[0].private is None:
            raise ConfigError("Playback tokens need a key that signs, named first.")
        self._by_kid = {key.kid: key for key in keys}
        if len(self._by_kid) != len(keys):
            raise ConfigError("Two keys of playback tokens have the same id.")
        self._issuer = issuer
        self._settings_key = keys[0]
        self._rotated = rotated
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
        share_id: ShareId | None = None,
    ) -> str:
        """
        Make a token.

        Args:
            valid_s: From 1 second to 7 days.
            domains: Host names in lower case, each perhaps below ``*.``.
            domain_list: A name for the list, in its place; the issuer stores the
                list.
            share_id: The share link that it is bound to.

        Raises:
            InvalidParametersError: So many domains that the token would be
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
        Return what a token says, if it was signed here and is valid.

        Args:
            find_key: Finds keys, those of organizations, too. What is signed with
                one of these opens videos of that organization alone; that is the
                caller's to check. By default only the service's own are found.

        Raises:
            UnauthorizedError: It is broken, expired or from somewhere else.
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
            claims = self._read(token, self._key_of(token, find_key), now_unix)
            self._remember(token, claims)
        if now_unix >= claims.expires_at_unix + LEEWAY_S:
            with self._lock:
                self._verified.pop(token, None)
            raise refused(PlaybackRule.TOKEN_EXPIRED)
        passed(PlaybackRule.TOKEN_EXPIRED)
        return claims

    @property
    def settings_keys(self) -> Sequence[TokenKey]:
        """
        The keys of the settings, whether they are believed or not.
        """
        return tuple(self._by_kid.values())

    def refresh(self) -> None:
        """
        Know at once which keys there are, and not half a second later.

        Raises:
            UnavailableError: The database does not answer.
        """
        if self._rotated is not None:
            self._rotated.all(at_once=True)

    def signing_key(self, now: datetime) -> TokenKey:
        """
        Return the key that signs.

        Raises:
            ConfigError: It was sealed with a secret that was replaced since.
        """
        stored = self._stored()
        for one in signing_order(stored, now):
            key = self.own_key(one.id, stored, now)
            if key is not None and key.private is not None:
                return key
        key = self.own_key(self._settings_key.kid, stored, now)
        if key is None:
            raise ConfigError(
                "No playback key can be opened: the secret that seals them was "
                "replaced. Run: hv keys rotate-signing"
            )
        return key

    def keys(self, now: datetime) -> Sequence[TokenKey]:
        """
        Return the keys that verify.

        Raises:
            UnavailableError: The database does not answer.
        """
        return self.believed(self._stored(), now)

    def believed(
        self, stored: Sequence[ServiceKey], now: datetime
    ) -> Sequence[TokenKey]:
        """
        Return the keys that verify, where these are stored.
        """
        kids = dict.fromkeys((*self._by_kid, *(one.id for one in stored)))
        keys = (self.own_key(kid, stored, now) for kid in kids)
        return [key for key in keys if key is not None]

    def own_key(
        self, kid: str, stored: Sequence[ServiceKey], now: datetime
    ) -> TokenKey | None:
        """
        Return a key of the service; None if there is none, or it is not believed.

        Args:
            stored: The keys that were rotated.
        """
        row = next((one for one in stored if one.id == kid), None)
        if row is not None and not row.is_believed(now):
            return None
        key = self._by_kid.get(kid)
        if key is None and row is not None and self._rotated is not None:
            return self._rotated.open(row)
        return key

    def jwks(self, now: datetime) -> dict[str, list[dict[str, str]]]:
        """
        Return the public keys as a JWK set (RFC 7517); secrets are in none.
        """
        keys = (key.public_jwk() for key in self.keys(now))
        return {"keys": [jwk for jwk in keys if jwk is not None]}

    def _stored(self) -> Sequence[ServiceKey]:
        return () if self._rotated is None else self._rotated.all()

    def _find_own(self, kid: str, now: datetime) -> TokenKey | None:
        return self.own_key(kid, self._stored(), now)

    def _signed(self, claims: dict[str, object], key: TokenKey) -> str:
        if key.private is None:
            raise ConfigError("The playback key only verifies.")
        return jwt.encode(
            claims, key.private, algorithm=key.algorithm, headers={"kid": key.kid}
        )

    def _key_of(self, token: str, find_key: FindTokenKey) -> TokenKey:
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

    def _read(self, token: str, key: TokenKey, now_unix: float) -> PlaybackClaims:
        try:
            # Times and audience are judged below: PyJWT asks the operating
            # system for the time, lets a float or 1e300 pass as ``exp``, and
            # the audience is not known before the token is read.
            payload = jwt.decode(
                token,
                key.public,
                algorithms=[key.algorithm],
                issuer=self._issuer,
                options={
                    "require": _REQUIRED,
                    "verify_exp": False,
                    "verify_iat": False,
                    "verify_nbf": False,
                    "verify_aud": False,
                    "enforce_minimum_key_length": True,
                },
            )
            claims = _claims(payload if key.org_id is None else _restricted(payload))
            begins_unix = max(claims.issued_at_unix, _not_before(payload))
        except jwt.InvalidIssuerError as exc:
            raise refused(PlaybackRule.TOKEN_WRONG_ISSUER) from exc
        except (jwt.PyJWTError, ValueError, OverflowError) as exc:
            raise refused(PlaybackRule.TOKEN_BROKEN) from exc
        passed(PlaybackRule.TOKEN_BROKEN, PlaybackRule.TOKEN_WRONG_ISSUER)
        if begins_unix > now_unix + LEEWAY_S:
            raise refused(PlaybackRule.TOKEN_FROM_FUTURE)
        passed(PlaybackRule.TOKEN_FROM_FUTURE)
        return attrs.evolve(claims, verified_by=key)

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


def refused(rule: PlaybackRule) -> UnauthorizedError:
    """
    Return how a token is refused that does not keep a rule.
    """
    # One sentence for all: which rule it was tells a forger what to change.
    return UnauthorizedError(_REFUSED, rule=rule)


def _token_id(use: TokenUse, video_id: VideoId, issued_at: int) -> str:
    if use is TokenUse.THUMBNAIL:
        # Every process makes the same token of the same hour, so that a
        # browser that has its picture asks no more.
        return hashlib.sha256(f"{video_id} {issued_at}".encode()).hexdigest()[:16]
    return secrets.token_urlsafe(12)


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


def _is_in_force(key: TokenKey | None, find_key: FindTokenKey) -> bool:
    return key is not None and find_key(key.kid) is key


def _restricted(payload: Mapping[str, object]) -> Mapping[str, object]:
    """
    Return what an organization's token says, of which it may say less than ours.
    """
    use = payload.get("use", TokenUse.PLAYBACK.value)
    if not isinstance(use, str) or use not in _OF_ORGANIZATIONS:
        raise ValueError("an organization signs no such tokens")
    if isinstance(payload.get("domains"), str):
        raise ValueError("only the service has lists of domains with names")  # noqa: TRY004 - a bad token
    return {**payload, "use": use}


def _not_before(payload: Mapping[str, object]) -> int:
    # We issue none, and others who have the key may.
    not_before = payload.get("nbf", 0)
    if type(not_before) is not int:
        raise ValueError("times must be whole seconds")
    return not_before


def _claims(payload: Mapping[str, object]) -> PlaybackClaims:
    issued_at, expires_at = payload["iat"], payload["exp"]
    # ``type`` and not ``isinstance``: True is no time, nor is a float.
    if type(issued_at) is not int or type(expires_at) is not int:
        raise ValueError("times must be whole seconds")
    if not 0 < expires_at - issued_at <= MAX_VALID_S:
        raise ValueError("valid for longer than any token is")
    video_id, public_id = payload["sub"], payload["aud"]
    # Strict: the audience is one string, never a list.
    if not isinstance(video_id, str) or not isinstance(public_id, str):
        raise ValueError("sub and aud must be strings")  # noqa: TRY004 - a bad token
    domains = payload.get("domains", [])
    domain_list: str | None = None
    if isinstance(domains, str):
        if not is_domain_list_id(domains):
            raise ValueError("domains must name a list, or be one")
        domain_list, domains = domains, []
    elif not isinstance(domains, list) or not all(isinstance(d, str) for d in domains):
        raise ValueError("domains must be a list of strings")
    if "domains" in payload and not domains and domain_list is None:
        raise ValueError("an empty list of domains admits no page")
    use, share_id = TokenUse(payload.get("use")), payload.get("share")
    if isinstance(share_id, str) != (use in _OF_SHARES):
        raise ValueError("a token of a share link must name it, and no other may")
    return PlaybackClaims(
        video_id=VideoId(video_id),
        public_id=PublicId(public_id),
        use=use,
        issued_at_unix=issued_at,
        expires_at_unix=expires_at,
        domains=tuple(domains),
        domain_list=domain_list,
        share_id=share_id if isinstance(share_id, str) else None,
    )
