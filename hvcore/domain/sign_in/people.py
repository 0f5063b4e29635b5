"""Signed-in people: the person who uses the dashboard."""

import hmac
from collections.abc import Mapping

import attrs

from hvcore.domain.access.principals import Person, Principal
from hvcore.domain.access.roles import Role
from hvcore.domain.ids import OrgId


@attrs.frozen(kw_only=True)
class SignedInPerson:
    """
    Describe a person who is signed in to the dashboard.

    Attributes:
        subject: The person's identifier within the sign-in backend.
        name: The name for display; never empty.
        email: The mail address; "" if it is not known.
        roles: The person's role by organization; an organization need not exist.
        is_operator: Whether the person is an admin in every organization, and sees the
            system's pages.
        backend: The name of the backend that recognised the person.
        change_token: The token that every request of this session must carry that
            changes something, against forged requests (CSRF).
    """

    subject: str
    name: str
    email: str
    roles: Mapping[OrgId, Role]
    is_operator: bool
    backend: str
    change_token: str = attrs.field(repr=False)

    def role_in(self, org_id: str) -> Role | None:
        """Return the person's role in an organization; None if the person has none."""
        return Role.ADMIN if self.is_operator else self.roles.get(OrgId(org_id))

    def may_change_with(self, token: str) -> bool:
        """Return whether a text is the change token of this person's session."""
        return token.isascii() and hmac.compare_digest(token, self.change_token)

    @property
    def as_person(self) -> Person:
        """The person as principals and the audit log name people."""
        return Person(subject=self.subject, name=self.name, backend=self.backend)

    def principal_in(self, org_id: OrgId, role: Role) -> Principal:
        """Return the person as a principal in an organization, with a role's permissions."""
        return Principal(
            person=self.as_person,
            org_id=org_id,
            env_id=None,
            permissions=role.permissions,
        )
