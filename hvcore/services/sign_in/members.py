"""Manage the members of an organization, and their roles."""

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
    Add, list, change and remove the members of organizations.

    A change takes effect with the next request. The caller must have checked the right to make
    it, and names the person who makes it with ``acting_as_person``.

    The last admin stays admin: otherwise nobody of the organization could add another.

    Attributes:
        are_only_source: Whether no sign-in backend gives roles. If one does, an organization
            may have admins outside this list, so the last admin in it may be removed by
            others, but may not leave.
    """

    uow: UnitOfWork
    clock: Clock
    are_only_source: bool = True

    def of_organization(self, org_id: str) -> Sequence[OrganizationMember]:
        """Return the members of an organization, the longest-standing first."""
        with self.uow.read() as work:
            return work.members.of_organization(org_id)

    def page(
        self, org_id: str, *, offset: int, limit: int
    ) -> Sequence[OrganizationMember]:
        """Return one page of an organization's members, the longest-standing first."""
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
        Add a person to an organization as a member with a role; return the member.

        Args:
            email: The address by which sign-in backends other than links recognise the person.

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
        Return a member of an organization.

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
        Give a member another role; return the member.

        Args:
            is_self: Whether the member makes the change.
            only_if: A condition on the member, checked in the transaction of the change.

        Raises:
            NotFoundError: The organization has no such member.
            ConflictError: The member is the last admin.
            PreconditionFailedError: The member does not meet ``only_if``; nothing is changed.
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
        Remove a member from an organization; sessions that rest on no other role end.

        Args:
            is_self: Whether the member makes the change.
            only_if: A condition on the member, checked in the transaction of the change.

        Raises:
            NotFoundError: The organization has no such member.
            ConflictError: The member is the last admin.
            PreconditionFailedError: The member does not meet ``only_if``, and stays.
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
