"""
Roles: what a person may do in an organization.

A role includes what the roles before it may do. Programs have no role: they call the
API with a key, and the key's permissions say what it may do.
"""

from enum import Enum
from typing import Final

from hvcore.domain.access.keys import Permission


class Role(Enum):
    """The roles of people in an organization, the weakest first."""

    VIEWER = "viewer"
    EDITOR = "editor"
    ADMIN = "admin"

    def includes(self, other: "Role") -> bool:
        """Return whether this role may do everything that another one may."""
        return _RANKS[self] >= _RANKS[other]

    @property
    def permissions(self) -> frozenset[Permission]:
        """Return the permissions of keys that the role has, too."""
        return _PERMISSIONS[self]

    @property
    def rights(self) -> frozenset["RoleRight"]:
        """Return the rights of the role that no key of the API has."""
        return frozenset(RoleRight) if self is Role.ADMIN else frozenset()


class RoleRight(Enum):
    """The rights to change an organization, which only people have, and no key."""

    KEYS = "keys"
    WEBHOOKS = "webhooks"
    MEMBERS = "members"
    ORGANIZATION = "organization"
    """Its environments and its settings."""


def strongest(first: Role | None, second: Role | None) -> Role | None:
    """Return the role that includes the other one."""
    if first is None or second is None:
        return first or second
    return first if first.includes(second) else second


_RANKS: Final = {role: rank for rank, role in enumerate(Role)}
_PERMISSIONS: Final = {
    Role.VIEWER: frozenset({Permission.VIDEOS_READ, Permission.ANALYTICS_READ}),
    Role.EDITOR: frozenset(Permission),
    Role.ADMIN: frozenset(Permission),
}
