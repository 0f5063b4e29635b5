"""
The caller, and what it may use.

Source: interface, "Authentication".
"""

import attrs

from hvcore.domain.access.keys import KeyType, Permission
from hvcore.domain.ids import EnvId, KeyId, OrgId


@attrs.frozen(kw_only=True)
class Person:
    """
    A person who calls, instead of a program.

    Attributes:
        subject: Unique within the sign-in backend.
        backend: The name of that backend.
    """

    subject: str
    name: str
    backend: str


@attrs.frozen(kw_only=True)
class Principal:
    """
    A caller, recognised: a program with a key, or a person.

    Attributes:
        key_id: As an authentication provider chooses it (see AuthProvider); None for a
            person.
        type: Of the key; None for a person. ENVIRONMENT needs ``org_id`` and ``env_id``,
            FULL_ACCESS ``org_id``.
        org_id: None for a system key, which reaches every organization.
        env_id: An environment's id, see ApiKey; a provider may also give the name that
            it has in the organization. None for a person, who reaches every environment
            of the organization.
        person: None for a key.
    """

    key_id: KeyId | None = None
    type: KeyType | None = None
    org_id: OrgId | None
    env_id: EnvId | None
    permissions: frozenset[Permission]
    person: Person | None = None

    def __attrs_post_init__(self) -> None:
        """Refuse a caller who is both, neither, or a person of no organization."""
        is_key = self.key_id is not None and self.type is not None
        is_person = self.person is not None and self.org_id is not None
        has_key_part = self.key_id is not None or self.type is not None
        if is_key is is_person or (is_person and has_key_part):
            raise ValueError("a principal is a key, or a person in an organization")

    @property
    def counted_as(self) -> str:
        """Return the name under which rate limits of no organization count the caller."""
        if self.person is not None:
            return f"{self.person.backend} {self.person.subject}"
        return str(self.key_id)

    def may_use_org(self, org_id: str) -> bool:
        """Return whether the caller may name this organization in a path."""
        return self.type is KeyType.SYSTEM or self.org_id == org_id

    def may_use_env(self, env_id: EnvId) -> bool:
        """Return whether the caller may use this environment of its organization."""
        return self.type is not KeyType.ENVIRONMENT or self.env_id == env_id
