"""
The claims of playback tokens, and the reading of their payload.

Source: the interface document, "Authentication", 7 and 8.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from enum import Enum
from typing import Final

import attrs

from hvcore.domain.ids import PublicId, VideoId
from hvcore.domain.limits import SIGNED_URL_EXPIRATIONS_S
from hvcore.domain.playback.domain_lists import is_domain_list_id
from hvcore.playback_tokens.keys import TokenKey

LEEWAY_S: Final = 5
"""How far the clocks of two machines may differ."""
MAX_VALID_S: Final = max(SIGNED_URL_EXPIRATIONS_S.values())
"""Of any token; this service issues none that claims more."""


class TokenUse(Enum):
    """
    The files that a token opens: a thumbnail token opens thumbnails only.

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
    The claims of a playback token.

    Attributes:
        domains: The host names of pages that may use the token; empty means every page.
        domain_list: The id of a stored list of domains, which replaces ``domains`` if there are
            many.
        share_id: The id of the share link that the token is bound to; None if there is none.
        verified_by: The key that verified the token.
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
        """The organization's key that signed the token; None for a key of the service."""
        key = self.verified_by
        return key if key is not None and key.org_id is not None else None

    @property
    def expires_at(self) -> datetime:
        """The moment at which the token expires by its claim ``exp``."""
        return datetime.fromtimestamp(self.expires_at_unix, UTC)

    @property
    def ends_at(self) -> datetime:
        """The moment from which the token is refused: a little after ``expires_at``, because clocks differ."""
        return datetime.fromtimestamp(self.expires_at_unix + LEEWAY_S, UTC)

    def names(self, video_id: str) -> bool:
        """Return whether the token was made for the video with this ``vid_`` or ``pubvid_`` id."""
        return video_id in {self.video_id, self.public_id}


def read_claims(payload: Mapping[str, object]) -> PlaybackClaims:
    """
    Return the claims in a token's payload, whose signature was verified before.

    Raises:
        ValueError: A claim is missing or has a wrong form.
    """
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


def restricted(payload: Mapping[str, object]) -> Mapping[str, object]:
    """
    Return the payload of a token that an organization has signed, if its claims are ones that organizations may sign.

    Raises:
        ValueError: The payload has a use or a claim that organizations may not sign.
    """
    use = payload.get("use", TokenUse.PLAYBACK.value)
    if not isinstance(use, str) or use not in _OF_ORGANIZATIONS:
        raise ValueError("an organization signs no such tokens")
    if isinstance(payload.get("domains"), str):
        raise ValueError("only the service has lists of domains with names")  # noqa: TRY004 - a bad token
    return {**payload, "use": use}


def not_before_unix(payload: Mapping[str, object]) -> int:
    """
    Return the second since 1970 from which a token is valid; 0 if the payload does not limit it.

    Raises:
        ValueError: The claim ``nbf`` is no whole number.
    """
    # We issue none, and others who have the key may.
    not_before = payload.get("nbf", 0)
    if type(not_before) is not int:
        raise ValueError("times must be whole seconds")
    return not_before
