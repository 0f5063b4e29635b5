"""
Combine the roles and rights of a person from all sources.

A sign-in backend gives the identity and may give roles. Admins give roles to members, and
the settings name operators; both count by the email address of a person only if the backend
vouches for it.
"""

import attrs

from hvcore.domain.access.roles import Role, strongest
from hvcore.domain.ids import OrgId
from hvcore.domain.sign_in.identities import Identity
from hvcore.domain.sign_in.members import fold_email, is_email_address
from hvcore.ports.unit_of_work import Work


@attrs.frozen(kw_only=True)
class Memberships:
    """
    Add the roles of members and operators to an identity from a sign-in backend.

    Attributes:
        operators: Subjects and email addresses of people who are operators, too. An entry
            that looks like an address is never compared with a subject: providers may let
            people choose their own.
    """

    operators: tuple[str, ...] = ()

    def complete(self, work: Work, identity: Identity) -> Identity:
        """
        Return the identity with the roles and rights that this service gives.

        The person's memberships are locked until the transaction ends, so that a change of one of
        them finds the session that the transaction stores.
        """
        if not is_email_address(identity.email):
            identity = attrs.evolve(identity, email="", is_email_proven=False)
        roles: dict[OrgId, Role] = dict(identity.roles)
        is_named = identity.subject in self.operators
        is_operator = identity.is_operator or (
            is_named and not is_email_address(identity.subject)
        )
        if identity.is_email_proven:
            folded = fold_email(identity.email)
            is_operator |= folded in {fold_email(name) for name in self.operators}
            for member in work.members.of_email(identity.email, for_update=True):
                role = strongest(roles.get(member.org_id), member.role)
                roles[member.org_id] = role or member.role
        return attrs.evolve(
            identity,
            name=identity.shown_name,
            roles=roles,
            is_operator=is_operator,
        )


def belongs(identity: Identity) -> bool:
    """Return whether a person is an operator or has a role in any organization."""
    return identity.is_operator or bool(identity.roles)
