"""
Who calls, and what it may reach.

Source: interface, "Authentication".
"""

import attrs

from hvcore.domain.access.keys import KeyType, Permission
from hvcore.domain.ids import EnvId, KeyId, OrgId


@attrs.frozen(kw_only=True)
class Principal:
    """
    A caller, recognised.

    Attributes:
        org_id: None for a system key, which reaches every organization.
        env_id: See ApiKey.
    """

    key_id: KeyId
    type: KeyType
    org_id: OrgId | None
    env_id: EnvId | None
    permissions: frozenset[Permission]

    def reaches_org(self, org_id: str) -> bool:
        """
        Tell whether the caller may name this organization in a path.
        """
        return self.type is KeyType.SYSTEM or self.org_id == org_id

    def reaches_env(self, env_id: EnvId) -> bool:
        """
        Tell whether the caller may use this environment of its organization.
        """
        return self.type is not KeyType.ENVIRONMENT or self.env_id == env_id
