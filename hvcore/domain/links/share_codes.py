"""Share codes: codes sent by mail that prove who the viewer of a share link is."""

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
    Hold one code that is mailed to the address that a viewer entered in a browser.

    Attributes:
        id: The code's identifier. Only the browser that asked for the code knows it, so
            that nobody else can use up the guesses.
        recipient: A hash of the share link and the entered mail address.
        code: The six digits as they are mailed, not hashed: a hash of six digits would
            hide nothing.
        is_for_viewer: Whether the entered address is that of the share link's viewer;
            otherwise the code is neither stored nor mailed.
        expires_at: When the code stops working; using the code ends it earlier.
        guesses: How often the browser has entered a code.
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
        """
        Make a random code for a viewer who entered a mail address.

        Args:
            email: The address that the viewer entered, which need not be that of the
                share link's viewer.
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

    def is_right(self, entered: str) -> bool:
        """
        Return whether an entered text is this code, and the code is for the link's viewer.

        Spaces, hyphens and digits of other scripts are accepted.
        """
        digits = "".join(
            str(unicodedata.digit(char))
            for char in entered
            if unicodedata.digit(char, None) is not None
        )
        # In time that says nothing about how much of it was right.
        is_same = hmac.compare_digest(digits.encode(), self.code.encode())
        return is_same and self.is_for_viewer


def recipient_of(share_id: ShareLinkId, email: str) -> str:
    """Return the hash that stands for a share link and a mail address, regardless of case."""
    return hashlib.sha256(share_id.encode() + b" " + _folded(email)).hexdigest()[:32]


def is_same_address(email: str, wanted: str) -> bool:
    """Return whether two mail addresses are equal, regardless of case."""
    return hmac.compare_digest(_folded(email), _folded(wanted))


def _folded(email: str) -> bytes:
    return folded(email.strip()).encode("utf-8", "replace")
