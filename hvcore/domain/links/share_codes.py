"""Codes that are sent by mail, by which the viewer of a share link is recognised."""

import hashlib
import hmac
import secrets
import unicodedata
from datetime import datetime, timedelta
from typing import Final, Self

import attrs

from hvcore.domain.folded_texts import folded
from hvcore.domain.ids import (
    OrgId,
    ShareCodeId,
    ShareLinkId,
    VideoId,
    new_share_code_id,
)
from hvcore.domain.links.links import ShareLink

CODE_DIGITS: Final = 6
CODE_WINDOW: Final = timedelta(hours=1)
CODE_VALID: Final = CODE_WINDOW
"""
Not shorter than the window: who has the mails of the window used up leaves the viewer a
code that is good until there may be another mail.
"""
MAX_MAILS: Final = 3
"""To the viewer of a link in CODE_WINDOW, whoever asks for them."""
MAX_CODE_GUESSES: Final = 5
"""Of the browser that asked for a code, and of a client in the window."""
MAX_GUESSES_OF_ALL: Final = 20
"""
Of all clients together in the window, for one link. With five for each of three codes by who
asked for them, and two codes that each may be compared with, somebody with many addresses,
who has a mail sent every 20 minutes, is right once in two years; a link lives for 30 days.
"""


@attrs.frozen(kw_only=True)
class ShareCode:
    """
    One code that is sent by mail because a browser has named the viewer's address.

    Attributes:
        id: Known to that browser alone: nobody else uses up its guesses.
        recipient: A hash of the link and the address that was named.
        code: As it is sent; a hash of six digits would hide nothing.
        is_for_viewer: The address is that of the link's viewer; otherwise the code is
            neither kept nor sent.
        expires_at: Or when it was used.
        guesses: How often that browser has entered a code.
    """

    id: ShareCodeId
    share_id: ShareLinkId
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
        """Make a code for who has named an address."""
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

    def is_right(self, entered: str) -> bool:
        """Return whether a text is this code, in whatever digits and groups."""
        digits = "".join(
            str(unicodedata.digit(char))
            for char in entered
            if unicodedata.digit(char, None) is not None
        )
        # In time that says nothing about how much of it was right.
        is_same = hmac.compare_digest(digits.encode(), self.code.encode())
        return is_same and self.is_for_viewer


def recipient_of(share_id: ShareLinkId, email: str) -> str:
    """Return the hash that stands for the address of a share link's viewer."""
    return hashlib.sha256(share_id.encode() + b" " + _folded(email)).hexdigest()[:32]


def is_same_address(email: str, wanted: str) -> bool:
    """Return whether two addresses are the same, in whatever case."""
    return hmac.compare_digest(_folded(email), _folded(wanted))


def _folded(email: str) -> bytes:
    return folded(email.strip()).encode("utf-8", "replace")
