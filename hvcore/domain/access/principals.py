"""
Principals: the recognised caller of a request, and what the caller may use.

Source: the interface document, "Authentication".
"""

import attrs

from hvcore.domain.access.keys import KeyType, Permission
from hvcore.domain.ids import EnvId, KeyId, OrgId


@attrs.frozen(kw_only=True)
class Person:
    """
    Identify a person who uses the service through the dashboard, not with an API key.

    Attributes:
        subject: The person's identifier, unique within the sign-in backend.
        backend: The name of the sign-in backend.
    """

    subject: str
    name: str
    backend: str


@attrs.frozen(kw_only=True)
class Principal:
    """
    Identify the recognised caller of a request: a program with an API key, or a person.

    Attributes:
        key_id: The id of the program's key, as an authentication provider chooses it
            (see AuthProvider); None for a person.
        key_name: The name of the program's key, for the audit log; "" for none.
        type: The type of the key; None for a person. ENVIRONMENT needs ``org_id`` and
            ``env_id``, FULL_ACCESS needs ``org_id``.
        org_id: The caller's organization; None for a system key, which reaches all of
            them.
        env_id: An environment's id, see ApiKey; a provider may also give the
            environment's name in the organization. None for a person, who reaches every
            environment of the organization.
        person: The person; None for a program with a key.
    """

    key_id: KeyId | None = None
    type: KeyType | None = None
    org_id: OrgId | None
    env_id: EnvId | None
    permissions: frozenset[Permission]
    person: Person | None = None
    key_name: str = ""

    def __attrs_post_init__(self) -> None:
        """
        Refuse a principal that is both a key and a person, or neither of the two.

        A person also needs an organization.
        """
        is_key = self.key_id is not None and self.type is not None
        is_person = self.person is not None and self.org_id is not None
        has_key_part = self.key_id is not None or self.type is not None
        if is_key is is_person or (is_person and has_key_part):
            raise ValueError("a principal is a key, or a person in an organization")

    @property
    def counted_as(self) -> str:
        """The name by which rate limits count a caller without an organization."""
        if self.person is not None:
            return f"{self.person.backend} {self.person.subject}"
        return str(self.key_id)

    def may_use_org(self, org_id: str) -> bool:
        """Return whether the caller may use an organization that a path names."""
        return self.type is KeyType.SYSTEM or self.org_id == org_id

    def may_use_env(self, env_id: EnvId) -> bool:
        """Return whether the caller may use an environment of the caller's organization."""
        return self.type is not KeyType.ENVIRONMENT or self.env_id == env_id
