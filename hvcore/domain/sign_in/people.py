"""The person who looks at the dashboard."""

import hmac
from collections.abc import Mapping

import attrs

from hvcore.domain.access.principals import Person, Principal
from hvcore.domain.access.roles import Role
from hvcore.domain.ids import OrgId


@attrs.frozen(kw_only=True)
class SignedInPerson:
    """
    A person with a session.

    Attributes:
        subject: Who it is, within the sign-in backend.
        name: Never empty.
        email: "" if it is not known.
        roles: In each organization of the person, whether that exists or not.
        is_operator: The person is an admin in every organization, and sees the
            system.
        backend: The name of the backend that recognised the person.
        change_token: What every change of this session must carry.
    """

    subject: str
    name: str
    email: str
    roles: Mapping[OrgId, Role]
    is_operator: bool
    backend: str
    change_token: str = attrs.field(repr=False)

    def role_in(self, org_id: str) -> Role | None:
        """Return the person's role in an organization; None if there is none."""
        return Role.ADMIN if self.is_operator else self.roles.get(OrgId(org_id))

    def may_change_with(self, token: str) -> bool:
        """Return whether a change carries this session's token."""
        return token.isascii() and hmac.compare_digest(token, self.change_token)

    @property
    def as_person(self) -> Person:
        """Return the person as principals and the audit log name it."""
        return Person(subject=self.subject, name=self.name, backend=self.backend)

    def principal_in(self, org_id: OrgId, role: Role) -> Principal:
        """Return the caller that this person is for the services of the core."""
        return Principal(
            person=self.as_person,
            org_id=org_id,
            env_id=None,
            permissions=role.permissions,
        )
