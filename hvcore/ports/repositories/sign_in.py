"""The repositories of people who use the dashboard; see ports.unit_of_work.Work."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol

from hvcore.domain.access.roles import Role
from hvcore.domain.sign_in.links import SignInLink
from hvcore.domain.sign_in.mails import SignInMail
from hvcore.domain.sign_in.members import OrganizationMember
from hvcore.domain.sign_in.pending import PendingSignIn
from hvcore.domain.sign_in.sessions import SignInSession


class SignInSessionRepository(Protocol):
    """Store the sessions of people who are signed in."""

    def add(self, session: SignInSession) -> None:
        """Store a new session."""
        ...

    def find(self, sha256: str) -> SignInSession | None:
        """Return a session by the SHA-256 of its secret, ended or not; None if there is none."""
        ...

    def all(self) -> Sequence[SignInSession]:
        """Return all sessions, ended or not, the most recently used first."""
        ...

    def of_person(self, backend: str, subject: str) -> Sequence[SignInSession]:
        """
        Return a person's sessions, ended or not, the most recently used first.

        Args:
            backend: The name of the sign-in backend that recognised the person.
            subject: The person's identifier in that backend.
        """
        ...

    def touch(self, sha256: str, now: datetime) -> None:
        """
        Store the time of a session's last use.

        Args:
            sha256: The SHA-256 of the session's secret.
        """
        ...

    def claim_asking(
        self, sha256: str, *, asked_at: datetime, now: datetime, until: datetime
    ) -> bool:
        """
        Claim a session, to ask the backend whether its person is still a member.

        One SQL statement: of any number of callers at once, one succeeds.

        Args:
            asked_at: The session's ``asked_at`` as the caller read it; the claim fails
                if the backend was asked since.
            until: The moment from which another caller may claim the session.
        """
        ...

    def end_asking(self, session: SignInSession, *, claimed_until: datetime) -> bool:
        """
        Store the identity, ``asked_at`` and the backend's state of a session, and end its claim.

        Returns:
            Whether the session still existed, and this caller had the claim.
        """
        ...

    def replace_state(self, sha256: str, *, former: bytes, state: bytes) -> None:
        """
        Replace a session's backend state, if it is still the former one.

        It does not matter who has the claim: the former state may be used up.
        """
        ...

    def release(self, sha256: str, *, claimed_until: datetime) -> None:
        """
        End the claim of a session without an answer of the backend.

        Args:
            sha256: The SHA-256 of the session's secret.
            claimed_until: The end of the claim, by which this caller's claim is
                recognised.
        """
        ...

    def ask_again(self, *, subject: str, email: str) -> None:
        """
        Have the backend asked at the next use of each session of a person.

        Args:
            subject: The person's subject in the backend of one-time links.
            email: The person's address in other backends, if they vouch for it; "" for
                none.
        """
        ...

    def remove(self, sha256: str) -> None:
        """Remove a session, which signs its person out."""
        ...

    def remove_of_person(self, backend: str, subject: str) -> int:
        """
        Remove all sessions of a person, and return their number.

        Args:
            backend: The name of the sign-in backend that recognised the person.
            subject: The person's identifier in that backend.
        """
        ...

    def remove_ended(self, now: datetime, idle: timedelta) -> int:
        """Remove the sessions that have expired or were idle for too long; return their number."""
        ...


class PendingSignInRepository(Protocol):
    """Store the sign-ins that wait for the provider's answer."""

    def add(self, pending: PendingSignIn) -> None:
        """Store a sign-in that has begun."""
        ...

    def take(self, state_sha256: str, now: datetime) -> PendingSignIn | None:
        """
        Remove a pending sign-in, and return it if it has not expired.

        One SQL statement: of any number of callers at once, one gets the sign-in.
        """
        ...

    def remove_expired(self, now: datetime) -> int:
        """Remove the pending sign-ins that have expired; return their number."""
        ...


class SignInLinkRepository(Protocol):
    """Store one-time sign-in links."""

    def add(self, link: SignInLink) -> None:
        """Store a new one-time link."""
        ...

    def add_all(self, links: Sequence[SignInLink]) -> None:
        """Store new one-time links, in one statement however many there are."""
        ...

    def find(self, sha256: str) -> SignInLink | None:
        """Return a sign-in link, found by the SHA-256 of its code, without using the link up."""
        ...

    def of_mail(self, mail_id: str, now: datetime) -> Sequence[SignInLink]:
        """Return the links that a mail carries and that work, by organization."""
        ...

    def remove_mailed(self, member_id: str) -> None:
        """Remove all links that were mailed to a member."""
        ...

    def remove_expired(self, now: datetime) -> int:
        """Remove expired one-time links; return their number."""
        ...


class SignInMailRepository(Protocol):
    """Store records of the mails that carry invitations and sign-in links."""

    def lock(self, recipient: str) -> None:
        """
        Let no other transaction count and add mails to a recipient until this one ends.

        Whoever the recipient is, it takes the same time.
        """
        ...

    def add(self, mail: SignInMail) -> None:
        """Store a new mail."""
        ...

    def find(self, mail_id: str) -> SignInMail | None:
        """Return a mail; None if there is none."""
        ...

    def newest_invitation(self, member_id: str) -> SignInMail | None:
        """Return the newest invitation of a member; None if there is none."""
        ...

    def count_to(
        self, recipient: str, since: datetime, *, are_invitations: bool
    ) -> int:
        """Return the number of invitations, or of other sign-in mails, to a recipient since a moment."""
        ...

    def count_invitations(self, org_id: str, since: datetime) -> int:
        """Return the number of invitations that an organization has sent since a moment."""
        ...

    def remove_old(self, before: datetime) -> int:
        """Remove the mails whose links expired before a moment; return their number."""
        ...


class MemberRepository(Protocol):
    """Store the members of organizations."""

    def add(self, member: OrganizationMember) -> None:
        """
        Store a new member.

        Raises:
            AlreadyExistsError: Another member of the organization has the email
                address.
        """
        ...

    def find(
        self, org_id: str, member_id: str, *, for_update: bool = False
    ) -> OrganizationMember | None: ...

    def find_by_email(self, org_id: str, email: str) -> OrganizationMember | None:
        """Return an organization's member with an email address, regardless of case."""
        ...

    def of_organization(self, org_id: str) -> Sequence[OrganizationMember]:
        """Return an organization's members, the earliest member first."""
        ...

    def page(
        self, org_id: str, *, offset: int, limit: int
    ) -> Sequence[OrganizationMember]:
        """Return one page of an organization's members, the earliest member first."""
        ...

    def count(self, org_id: str) -> int:
        """Return the number of members of an organization."""
        ...

    def lock_admins(self, org_id: str) -> Sequence[OrganizationMember]:
        """
        Return an organization's admins, locked until the transaction ends.

        Call it before any member is read for an update, so that all rows are locked in
        one order.
        """
        ...

    def of_email(
        self, email: str, *, for_update: bool = False
    ) -> Sequence[OrganizationMember]:
        """
        Return an email address's memberships in all organizations; case is ignored.

        Args:
            for_update: Whether the row stays locked until the transaction ends.
        """
        ...

    def change_role(self, member: OrganizationMember, role: Role) -> None:
        """Store a member's new role."""
        ...

    def remove(self, member: OrganizationMember) -> None:
        """Remove a member and the member's one-time links."""
        ...
