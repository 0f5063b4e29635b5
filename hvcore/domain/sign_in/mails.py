"""
Sign-in mails to members: invitations, and mails with links that members ask for.

The database holds no code of a mailed link: a code is derived from the mail's id with a
secret of the service, so that each attempt at a mail carries the same code.
"""

import hashlib
from datetime import datetime, timedelta
from typing import Final

import attrs

from hvcore.domain.ids import MemberId, OrgId, SignInMailId
from hvcore.domain.sign_in.members import fold_email

INVITATION_VALID_FOR: Final = timedelta(days=3)
SIGN_IN_MAIL_WINDOW: Final = timedelta(hours=1)
MAX_SIGN_IN_MAILS: Final = 3
"""With links to one address in SIGN_IN_MAIL_WINDOW, whoever asks; invitations count apart."""
MAX_INVITATIONS: Final = 100
"""Of one organization in SIGN_IN_MAIL_WINDOW."""
MAX_ASKED_BY_CLIENT: Final = 30
"""
Sign-in links that one client asks for in SIGN_IN_MAIL_WINDOW: an office of many people may
have one address.
"""
MAX_LINKS_OF_MAIL: Final = 20
"""Organizations of one address for which a mail has links."""


@attrs.frozen(kw_only=True)
class SignInMail:
    """
    Hold a mail that invites a member, or brings links that a member asked for.

    Attributes:
        org_id: The organization of the invitation; of a mail with links, that of the first.
        member_id: The invited member; None for links that were asked for.
        recipient: A hash of the address, by which mails are counted.
        return_to: The path of the dashboard's page that was asked for; "" for none.
        expires_at: When the mail's links end; afterwards the mail is not sent any more.
    """

    id: SignInMailId
    org_id: OrgId
    member_id: MemberId | None
    recipient: str
    return_to: str
    created_at: datetime
    expires_at: datetime

    @property
    def is_invitation(self) -> bool:
        """Whether the mail is an admin's invitation; otherwise a member asked for its links."""
        return self.member_id is not None


def recipient_of_address(email: str) -> str:
    """Return the hash that stands for a mail address, regardless of case."""
    folded = fold_email(email).encode("utf-8", "replace")
    return hashlib.sha256(b"hvcore sign-in mail " + folded).hexdigest()
