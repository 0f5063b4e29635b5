"""
Roles: what a person may do in an organization.

A role includes what the roles before it may do. Programs have no role: they call the
API with a key, and the key's permissions say what it may do.
"""

from enum import Enum
from typing import Final

from hvcore.domain.access.keys import Permission


class Role(Enum):
    """Name the roles of people in an organization, from the weakest to the strongest."""

    VIEWER = "viewer"
    EDITOR = "editor"
    ADMIN = "admin"

    def includes(self, other: "Role") -> bool:
        """Return whether this role may do everything that another role may do."""
        return _RANKS[self] >= _RANKS[other]

    @property
    def permissions(self) -> frozenset[Permission]:
        """The API key permissions that a person with this role has."""
        return _PERMISSIONS[self]

    @property
    def rights(self) -> frozenset["RoleRight"]:
        """The rights of this role that no API key can have; only admins have them."""
        return frozenset(RoleRight) if self is Role.ADMIN else frozenset()


class RoleRight(Enum):
    """Name the rights to change an organization that only people can have, not API keys."""

    KEYS = "keys"
    WEBHOOKS = "webhooks"
    MEMBERS = "members"
    ORGANIZATION = "organization"
    """Its environments and its settings."""


def strongest(first: Role | None, second: Role | None) -> Role | None:
    """Return the stronger of two roles; None stands for no role."""
    if first is None or second is None:
        return first or second
    return first if first.includes(second) else second


_RANKS: Final = {role: rank for rank, role in enumerate(Role)}
_PERMISSIONS: Final = {
    Role.VIEWER: frozenset({Permission.VIDEOS_READ, Permission.ANALYTICS_READ}),
    Role.EDITOR: frozenset(Permission),
    Role.ADMIN: frozenset(Permission),
}
