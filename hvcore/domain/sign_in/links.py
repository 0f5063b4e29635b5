"""One-time links: addresses that sign somebody in once, and soon end."""

from datetime import datetime, timedelta
from typing import Final

import attrs

from hvcore.domain.ids import MemberId, OrgId

LINK_VALID_FOR: Final = timedelta(minutes=10)


@attrs.frozen(kw_only=True)
class SignInLink:
    """
    A one-time link, for a member or an operator.

    Attributes:
        sha256: Of the secret in the address, 64 hex digits.
        org_id: None for an operator.
        member_id: The member that it signs in; None for an operator.
        name: Of an operator; a member's name is that of the record.
    """

    sha256: str = attrs.field(repr=False)
    org_id: OrgId | None
    member_id: MemberId | None
    name: str
    email: str
    expires_at: datetime
