"""The members of an organization, and their roles."""

from collections.abc import Sequence
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain import ids
from hvcore.domain.access.roles import Role
from hvcore.domain.ids import OrgId
from hvcore.domain.sign_in.members import (
    OrganizationMember,
    is_email_address,
    is_member_name,
)
from hvcore.errors import ConflictError, InvalidParametersError, NotFoundError
from hvcore.ports.repositories.errors import AlreadyExistsError
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.access.audit import record
from hvcore.services.conditions import Condition, require_condition

_NO_MEMBER: Final = "The organization has no such member."


@attrs.frozen(kw_only=True)
class Members:
    """
    Add, list, change and remove members; a change is felt with the next request.

    The caller has checked the right to do so, and says who does it with
    ``acting_as_person``.

    The last admin stays one: else nobody of the organization could add another.

    Attributes:
        are_only_source: No sign-in backend gives roles besides. Where one does,
            admins may be in no list, and only they themselves are kept from leaving.
    """

    uow: UnitOfWork
    clock: Clock
    are_only_source: bool = True

    def of_organization(self, org_id: str) -> Sequence[OrganizationMember]:
        """Return the members, the longest first."""
        with self.uow.read() as work:
            return work.members.of_organization(org_id)

    def page(
        self, org_id: str, *, offset: int, limit: int
    ) -> Sequence[OrganizationMember]:
        """Return some of the members, the longest first."""
        with self.uow.read() as work:
            return work.members.page(org_id, offset=offset, limit=limit)

    def count(self, org_id: str) -> int:
        """Return the number of an organization's members."""
        with self.uow.read() as work:
            return work.members.count(org_id)

    def add(
        self, org_id: str, *, role: Role, email: str = "", name: str = ""
    ) -> OrganizationMember:
        """
        Give a person a role.

        Args:
            email: By which other backends than links recognise the person.

        Raises:
            InvalidParametersError: Neither an address nor a name, or a bad one.
            NotFoundError: There is no such organization.
            ConflictError: The organization has a member with this address.
        """
        email, name = email.strip(), name.strip()
        _check(email, name)
        member = OrganizationMember(
            id=ids.new_member_id(),
            org_id=OrgId(org_id),
            email=email,
            name=name,
            role=role,
            created_at=self.clock.now(),
        )
        try:
            with self.uow.write() as work:
                if work.tenants.organization(org_id) is None:
                    raise NotFoundError(f"There is no organization {org_id}.")
                work.members.add(member)
                _record(work, "member.add", member, role=role.value)
                work.sign_in_sessions.ask_again(subject=member.id, email=email)
                work.commit()
        except AlreadyExistsError as exc:
            raise ConflictError(
                f"{email} is a member already; change the role instead."
            ) from exc
        return member

    def find(self, org_id: str, member_id: str) -> OrganizationMember:
        """
        Return a member.

        Raises:
            NotFoundError: The organization has no such member.
        """
        with self.uow.read() as work:
            member = work.members.find(org_id, member_id)
        if member is None:
            raise NotFoundError(_NO_MEMBER)
        return member

    def change_role(
        self,
        org_id: str,
        member_id: str,
        role: Role,
        *,
        is_self: bool = False,
        only_if: Condition[OrganizationMember] | None = None,
    ) -> OrganizationMember:
        """
        Give a member another role.

        Args:
            is_self: The member does it to themselves.
            only_if: How the member must be until this changes it.

        Raises:
            NotFoundError: The organization has no such member.
            ConflictError: It is the last admin.
            PreconditionFailedError: It is not as ``only_if`` wants it; nothing is
                changed.
        """
        with self.uow.write() as work:
            admins = work.members.lock_admins(org_id)
            member = _find(work, org_id, member_id)
            require_condition(only_if, member)
            if role is not Role.ADMIN:
                self._keep_an_admin(admins, member, is_self=is_self)
            if member.role is not role:
                work.members.change_role(member, role)
                work.sign_in_sessions.ask_again(subject=member.id, email=member.email)
                _record(
                    work,
                    "member.change",
                    member,
                    role=role.value,
                    formerRole=member.role.value,
                )
            work.commit()
        return attrs.evolve(member, role=role)

    def remove(
        self,
        org_id: str,
        member_id: str,
        *,
        is_self: bool = False,
        only_if: Condition[OrganizationMember] | None = None,
    ) -> None:
        """
        Take a member's role away; sessions that have no other end.

        Args:
            is_self: The member does it to themselves.
            only_if: How the member must be until this removes it.

        Raises:
            NotFoundError: The organization has no such member.
            ConflictError: It is the last admin.
            PreconditionFailedError: It is not as ``only_if`` wants it, and stays.
        """
        with self.uow.write() as work:
            admins = work.members.lock_admins(org_id)
            member = _find(work, org_id, member_id)
            require_condition(only_if, member)
            self._keep_an_admin(admins, member, is_self=is_self)
            work.members.remove(member)
            work.sign_in_sessions.ask_again(subject=member.id, email=member.email)
            _record(work, "member.remove", member, formerRole=member.role.value)
            work.commit()

    def _keep_an_admin(
        self,
        admins: Sequence[OrganizationMember],
        member: OrganizationMember,
        *,
        is_self: bool,
    ) -> None:
        is_last = [admin.id for admin in admins] == [member.id]
        if is_last and (self.are_only_source or is_self):
            raise ConflictError(
                f"{member.shown_name} is the last admin of the organization; make "
                "somebody else an admin first."
            )


def _check(email: str, name: str) -> None:
    if not email and not name:
        raise InvalidParametersError("Give the member an email address or a name.")
    if email and not is_email_address(email):
        raise InvalidParametersError(
            "email must be an address such as ada@example.com."
        )
    if not is_member_name(name):
        raise InvalidParametersError(
            "name must have at most 200 characters, on one line."
        )


def _find(work: Work, org_id: str, member_id: str) -> OrganizationMember:
    member = work.members.find(org_id, member_id, for_update=True)
    if member is None:
        raise NotFoundError(_NO_MEMBER)
    return member


def _record(
    work: Work, action: str, member: OrganizationMember, **details: object
) -> None:
    record(
        work,
        action,
        member.id,
        org_id=member.org_id,
        name=member.name,
        email=member.email,
        **details,
    )
