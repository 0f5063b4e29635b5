"""
Codes that are sent by mail, by which the viewer of a share link is recognised.
"""

import hashlib
import hmac
import secrets
import unicodedata
from datetime import datetime, timedelta
from typing import Final, Self

import attrs

from hvcore.domain.ids import OrgId, ShareCodeId, ShareId, VideoId, new_share_code_id
from hvcore.domain.links.links import ShareLink

CODE_DIGITS: Final = 6
CODE_VALID: Final = timedelta(minutes=10)
MAX_CODE_GUESSES: Final = 5
MAX_CODES: Final = 6
"""
For one address in CODE_WINDOW: with five guesses each, who knows the address and
tries all the time is right once in four years.
"""
CODE_WINDOW: Final = timedelta(hours=1)


@attrs.frozen(kw_only=True)
class ShareCode:
    """
    One code for one browser that has named an address.

    Attributes:
        id: Known to that browser alone: nobody else uses up its guesses.
        recipient: A hash of the link and the address that was named.
        code: As it is sent; a hash of six digits would hide nothing.
        is_for_viewer: The address is that of the link's viewer; otherwise nothing
            is sent, and no code is right.
        guesses: How often a code was entered.
    """

    id: ShareCodeId
    share_id: ShareId
    org_id: OrgId
    video_id: VideoId
    recipient: str
    code: str = attrs.field(repr=False)
    is_for_viewer: bool
    created_at: datetime
    expires_at: datetime
    guesses: int = 0

    @classmethod
    def make(cls, share: ShareLink, email: str, now: datetime) -> Self:
        """
        Make a code for who has named an address.
        """
        return cls(
            id=new_share_code_id(),
            share_id=share.id,
            org_id=share.org_id,
            video_id=share.video_id,
            recipient=recipient_of(share.id, email),
            code=f"{secrets.randbelow(10**CODE_DIGITS):0{CODE_DIGITS}}",
            is_for_viewer=share.viewer_email is not None
            and is_same_address(email, share.viewer_email),
            created_at=now,
            expires_at=now + CODE_VALID,
        )

    @property
    def guesses_left(self) -> int:
        """
        How often another code may be entered.
        """
        return MAX_CODE_GUESSES - self.guesses

    def is_right(self, entered: str) -> bool:
        """
        Return whether a text is this code, in whatever digits and groups.
        """
        digits = "".join(
            str(unicodedata.digit(char))
            for char in entered
            if unicodedata.digit(char, None) is not None
        )
        # In time that says nothing about how much of it was right.
        is_same = hmac.compare_digest(digits.encode(), self.code.encode())
        return is_same and self.is_for_viewer


def recipient_of(share_id: ShareId, email: str) -> str:
    """
    Return what stands for an address that somebody has named.
    """
    return hashlib.sha256(share_id.encode() + b" " + _folded(email)).hexdigest()[:32]


def is_same_address(email: str, wanted: str) -> bool:
    """
    Return whether two addresses are the same, in whatever case.
    """
    return hmac.compare_digest(_folded(email), _folded(wanted))


def _folded(email: str) -> bytes:
    # Some keyboards write é as one character, others as two.
    text = unicodedata.normalize("NFC", email.strip()).casefold()
    return text.encode("utf-8", "replace")
