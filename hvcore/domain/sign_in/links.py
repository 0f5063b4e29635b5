"""One-time links: addresses that sign a person in to the dashboard once, and soon expire."""

from datetime import datetime, timedelta
from typing import Final

import attrs

from hvcore.domain.ids import MemberId, OrgId, SignInMailId

LINK_VALID_FOR: Final = timedelta(minutes=10)


@attrs.frozen(kw_only=True)
class SignInLink:
    """
    Hold a one-time sign-in link for a member or an operator.

    Attributes:
        sha256: The SHA-256 of the secret in the link's address, 64 hex digits.
        org_id: The member's organization; None for an operator.
        member_id: The member whom the link signs in; None for an operator.
        name: The operator's name; a member's name is in the member's record.
        mail_id: The mail that carries the link; None for a link that was shown to whoever
            made it.
    """

    sha256: str = attrs.field(repr=False)
    org_id: OrgId | None
    member_id: MemberId | None
    name: str
    email: str
    expires_at: datetime
    mail_id: SignInMailId | None = None
