"""
What operators did, to whose keys, organizations and environments.
"""

from collections.abc import Mapping
from datetime import datetime

import attrs

from hvcore.domain.ids import OrgId


@attrs.frozen(kw_only=True)
class AuditEntry:
    """
    One operation.

    Attributes:
        org_id: None for what belongs to no organization, such as a system key.
        actor: Who did it, such as ``cli:alice``.
        action: What was done, such as ``key.revoke``.
        subject: The identifier of what it was done to.
        details: Plain JSON data; never a secret.
    """

    at: datetime
    org_id: OrgId | None
    actor: str
    action: str
    subject: str
    details: Mapping[str, object] = attrs.field(factory=dict)
