"""The repositories of the dashboard's people; see ports.unit_of_work.Work."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol

from hvcore.domain.access.roles import Role
from hvcore.domain.sign_in.links import SignInLink
from hvcore.domain.sign_in.members import OrganizationMember
from hvcore.domain.sign_in.pending import PendingSignIn
from hvcore.domain.sign_in.sessions import SignInSession


class SignInSessionRepository(Protocol):
    """The sessions of people who are signed in."""

    def add(self, session: SignInSession) -> None:
        """Store a new session."""
        ...

    def find(self, sha256: str) -> SignInSession | None:
        """Return a session, ended or not."""
        ...

    def all(self) -> Sequence[SignInSession]:
        """Return all sessions, ended or not, the one used last first."""
        ...

    def touch(self, sha256: str, now: datetime) -> None:
        """Record that it is used."""
        ...

    def claim_asking(
        self, sha256: str, *, asked_at: datetime, now: datetime, until: datetime
    ) -> bool:
        """
        Claim a session, to ask whether its person still belongs.

        One statement: of any number of callers at once, one succeeds.

        Args:
            asked_at: As the caller knows it; somebody who has asked since wins.
            until: Then another may ask, if this one has not ended.
        """
        ...

    def end_asking(self, session: SignInSession, *, claimed_until: datetime) -> bool:
        """
        Store the identity, ``asked_at`` and the backend's state, and give it back.

        Returns:
            Whether the session was still there, and claimed by this caller.
        """
        ...

    def replace_state(self, sha256: str, *, former: bytes, state: bytes) -> None:
        """
        Store the backend's state, if the former one is still there.

        It holds whoever has the claim: the former state may be used up.
        """
        ...

    def release(self, sha256: str, *, claimed_until: datetime) -> None:
        """Give a claimed session back without an answer."""
        ...

    def ask_again(self, *, subject: str, email: str) -> None:
        """
        Have the membership asked at the next use of all sessions of a person.

        Args:
            subject: Of the link backend.
            email: Of other backends, if they vouch for it; "" for none.
        """
        ...

    def remove(self, sha256: str) -> None:
        """End a session."""
        ...

    def remove_of_person(self, backend: str, subject: str) -> int:
        """End all sessions of a person, and return how many there were."""
        ...

    def remove_ended(self, now: datetime, idle: timedelta) -> int:
        """Remove the sessions that have ended by themselves."""
        ...


class PendingSignInRepository(Protocol):
    """The sign-ins that wait for an answer."""

    def add(self, pending: PendingSignIn) -> None:
        """Store a sign-in that begins."""
        ...

    def take(self, state_sha256: str, now: datetime) -> PendingSignIn | None:
        """
        Remove a sign-in, and return it if it has not expired.

        One statement: of any number of callers at once, one gets it.
        """
        ...

    def remove_expired(self, now: datetime) -> int:
        """Remove expired sign-ins that nobody came back to."""
        ...


class SignInLinkRepository(Protocol):
    """The repository of one-time links."""

    def add(self, link: SignInLink) -> None:
        """Store a new link."""
        ...

    def take(self, sha256: str, now: datetime) -> SignInLink | None:
        """
        Use a link up, and return it if it has not expired.

        One statement: of any number of callers at once, one gets it.
        """
        ...

    def remove_expired(self, now: datetime) -> int:
        """Remove expired links that nobody used."""
        ...


class MemberRepository(Protocol):
    """The members of organizations."""

    def add(self, member: OrganizationMember) -> None:
        """
        Store a new member.

        Raises:
            AlreadyExistsError: The organization has one with this email.
        """
        ...

    def find(
        self, org_id: str, member_id: str, *, for_update: bool = False
    ) -> OrganizationMember | None: ...

    def find_by_email(
        self, org_id: str, email: str, *, for_update: bool = False
    ) -> OrganizationMember | None:
        """Return the member with an address, without regard to case."""
        ...

    def of_organization(self, org_id: str) -> Sequence[OrganizationMember]:
        """Return the members, the longest first."""
        ...

    def page(
        self, org_id: str, *, offset: int, limit: int
    ) -> Sequence[OrganizationMember]:
        """Return some of the members, the longest first."""
        ...

    def count(self, org_id: str) -> int:
        """Return the number of members of an organization."""
        ...

    def lock_admins(self, org_id: str) -> Sequence[OrganizationMember]:
        """
        Return the admins, who stay what they are until the end of the transaction.

        Called before any member is found for update: all are locked in one order.
        """
        ...

    def of_email(
        self, email: str, *, for_update: bool = False
    ) -> Sequence[OrganizationMember]:
        """Return the memberships of an address, without regard to case."""
        ...

    def change_role(self, member: OrganizationMember, role: Role) -> None:
        """Store another role."""
        ...

    def remove(self, member: OrganizationMember) -> None:
        """Remove a member and the links made for it."""
        ...
