"""
Order the mails by which members sign in: invitations, and sign-in links on request.

Whether an address is a member's or not, asking for a link gives the same answer in the
same time. No request waits for the mail server: a task sends the mail.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain.ids import OrgId, new_sign_in_mail_id
from hvcore.domain.sign_in.links import LINK_VALID_FOR, SignInLink
from hvcore.domain.sign_in.mails import (
    INVITATION_VALID_FOR,
    MAX_INVITATIONS,
    MAX_LINKS_OF_MAIL,
    MAX_SIGN_IN_MAILS,
    SIGN_IN_MAIL_WINDOW,
    SignInMail,
    recipient_of_address,
)
from hvcore.domain.sign_in.members import OrganizationMember, is_email_address
from hvcore.domain.sign_in.sessions import hash_secret_value
from hvcore.domain.tasks.kinds import SIGN_IN_MAIL_SEND
from hvcore.domain.tasks.task import Lane, NewTask, Task, TaskState
from hvcore.errors import (
    FieldError,
    InvalidParametersError,
    NotFoundError,
    RateLimitExceededError,
)
from hvcore.metrics.declared import RATE_LIMITED
from hvcore.ports.sign_in import LINK_BACKEND
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.access.audit import record
from hvcore.services.sign_in.attempts import SignInAttempts
from hvcore.services.sign_in.sign_ins import safe_return
from hvcore.services.tasks.failed_attempts import has_lost_answer
from hvcore.signing.mailed_codes import MailedCodes

_NOBODY: Final = OrgId("org_nobody")
"""Stands in the mail to an address of no member, which is undone."""
_NO_ADDRESS: Final = "Give an address such as ada@example.com."


@attrs.frozen(kw_only=True)
class InvitationState:
    """
    State of the newest invitation of a member, for the admins of the organization.

    Attributes:
        mail_id: The id of the mail.
        is_sent: Whether a mail server has taken the mail.
        has_failed: Whether the mail will never be sent. The reason is for operators: it may
            name hosts, settings and code of the installation.
        may_have_come: Whether the mail is not sent any more because no mail server said
            whether it had taken the mail: the member may have it.
        expires_at: When the link of the invitation ends.
        is_usable: Whether the invitation's link was not used yet, and still works.
    """

    mail_id: str
    is_sent: bool
    has_failed: bool
    may_have_come: bool
    expires_at: datetime
    is_usable: bool


@attrs.frozen(kw_only=True)
class MailedSignIns:
    """
    Order mails with invitations and sign-in links; thread-safe.

    Attributes:
        backend: The name of the sign-in backend to which people are sent.
        has_mail_server: Whether mails reach people, and no folder only.
    """

    uow: UnitOfWork
    clock: Clock
    attempts: SignInAttempts
    codes: MailedCodes
    backend: str
    has_mail_server: bool

    @property
    def can_be_asked(self) -> bool:
        """Whether members may ask for a link by mail: never past another sign-in backend."""
        return self.has_mail_server and self.backend == LINK_BACKEND

    def ask(self, email: str, *, return_to: str, client_address: str) -> None:
        """
        Order a mail with sign-in links, if an address is that of a member.

        An address in several organizations gets a link to each of them, or only to that of
        the page that was asked for. After MAX_SIGN_IN_MAILS mails in a window, those that
        were sent go on working.

        Args:
            return_to: The path of the page that was asked for; "" for none.

        Raises:
            NotFoundError: No links are mailed here.
            InvalidParametersError: The text is no mail address.
            RateLimitExceededError: This client has asked for too many mails.
        """
        if not self.can_be_asked:
            raise NotFoundError
        email = email.strip()
        if not is_email_address(email):
            problem = FieldError(message=_NO_ADDRESS, location="body.email")
            raise InvalidParametersError(problem.message, errors=[problem])
        self.attempts.count_mail(client_address)
        now = self.clock.now()
        path = safe_return(return_to) if return_to else ""
        with self.uow.write() as work:
            recipient = recipient_of_address(email)
            # Locked: who asks at the same moment is counted, too.
            work.sign_in_mails.lock(recipient)
            members = _wanted(work.members.of_email(email, for_update=True), path)
            made = work.sign_in_mails.count_to(
                recipient, now - SIGN_IN_MAIL_WINDOW, are_invitations=False
            )
            mail = SignInMail(
                id=new_sign_in_mail_id(),
                org_id=members[0].org_id if members else _NOBODY,
                member_id=None,
                recipient=recipient,
                return_to=path,
                created_at=now,
                expires_at=now + LINK_VALID_FOR,
            )
            # For another address, as much is done and nothing is kept.
            with work.undoing(keeps=bool(members) and made < MAX_SIGN_IN_MAILS):
                self._order(work, mail, members)
            # A queue that takes its time would tell which address is a member's.
            work.commit(rings=False)

    def invite(self, org_id: str, member_id: str, *, after: str | None = None) -> None:
        """
        Order the mail that invites a member; links that were mailed before end.

        Args:
            after: The id of the newest invitation that the asker knows of; "" for none.
                Nothing is ordered if there is a newer one, for a form may be sent twice.
                None stands for an asker who does not look.

        Raises:
            NotFoundError: The organization has no such member, or no mails are sent here.
            InvalidParametersError: The member has no mail address.
            RateLimitExceededError: The address, or the organization, had too many
                invitations.
        """
        if not self.has_mail_server:
            raise NotFoundError
        now = self.clock.now()
        with self.uow.write() as work:
            recipient = recipient_of_address(_invited(work, org_id, member_id).email)
            # In the order of ``ask``: first the address, then its members.
            work.sign_in_mails.lock(recipient)
            # Locked: a member who is removed meanwhile takes the link along.
            member = _invited(work, org_id, member_id, for_update=True)
            newest = work.sign_in_mails.newest_invitation(member.id)
            if after is not None and after != (newest.id if newest else ""):
                return
            _count_invitations(work, member.org_id, recipient, now)
            mail = SignInMail(
                id=new_sign_in_mail_id(),
                org_id=member.org_id,
                member_id=member.id,
                recipient=recipient,
                return_to="",
                created_at=now,
                expires_at=now + INVITATION_VALID_FOR,
            )
            work.sign_in_links.remove_mailed(member.id)
            self._order(work, mail, [member])
            record(work, "member.invite", member.id, org_id=member.org_id)
            work.commit()

    def invitation(self, member: OrganizationMember) -> InvitationState | None:
        """Return the state of a member's newest invitation; None if there is none."""
        with self.uow.read() as work:
            mail = work.sign_in_mails.newest_invitation(member.id)
            if mail is None:
                return None
            links = work.sign_in_links.of_mail(mail.id, self.clock.now())
            tasks = work.tasks.of_subject(mail.id, kind=SIGN_IN_MAIL_SEND)
        task: Task | None = tasks[-1] if tasks else None
        return InvitationState(
            mail_id=mail.id,
            is_sent=task is None or task.state is TaskState.DONE,
            has_failed=task is not None and task.state is TaskState.FAILED,
            may_have_come=task is not None and has_lost_answer(task),
            expires_at=mail.expires_at,
            is_usable=bool(links),
        )

    def _order(
        self, work: Work, mail: SignInMail, members: Sequence[OrganizationMember]
    ) -> None:
        work.sign_in_mails.add(mail)
        if self.backend == LINK_BACKEND:
            links = [self._link(mail, member) for member in members]
            work.sign_in_links.add_all(links or [self._link_of_nobody(mail)])
        task = NewTask(
            kind=SIGN_IN_MAIL_SEND,
            lane=Lane.OUTBOUND,
            org_id=mail.org_id,
            subject=mail.id,
        )
        work.tasks.add([task])

    def _link(self, mail: SignInMail, member: OrganizationMember) -> SignInLink:
        return SignInLink(
            sha256=hash_secret_value(self.codes.code(mail.id, member.id)),
            org_id=member.org_id,
            member_id=member.id,
            name=member.name,
            email=member.email,
            expires_at=mail.expires_at,
            mail_id=mail.id,
        )

    def _link_of_nobody(self, mail: SignInMail) -> SignInLink:
        """Return a link that is undone, and would never work."""
        return SignInLink(
            sha256=hash_secret_value(self.codes.code(mail.id, _NOBODY)),
            org_id=mail.org_id,
            member_id=None,
            name="",
            email="",
            expires_at=mail.created_at,
            mail_id=mail.id,
        )


def _wanted(
    members: Sequence[OrganizationMember], path: str
) -> Sequence[OrganizationMember]:
    """Return the memberships that get a link: that of the page, or all."""
    named = path.removeprefix("/dashboard/").partition("?")[0].partition("/")[0]
    of_page = [member for member in members if member.org_id == named]
    return of_page or members[:MAX_LINKS_OF_MAIL]


def _count_invitations(
    work: Work, org_id: OrgId, recipient: str, now: datetime
) -> None:
    since = now - SIGN_IN_MAIL_WINDOW
    mails = work.sign_in_mails
    if mails.count_to(recipient, since, are_invitations=True) >= MAX_SIGN_IN_MAILS:
        text = f"{MAX_SIGN_IN_MAILS} invitations were mailed to this address"
    elif mails.count_invitations(org_id, since) >= MAX_INVITATIONS:
        text = f"This organization has mailed {MAX_INVITATIONS} invitations"
    else:
        return
    RATE_LIMITED.add("invitations")
    raise RateLimitExceededError(
        f"{text} within an hour. Try again later, or hand over a link yourself.",
        headers={"Retry-After": str(int(SIGN_IN_MAIL_WINDOW.total_seconds()))},
    )


def _invited(
    work: Work, org_id: str, member_id: str, *, for_update: bool = False
) -> OrganizationMember:
    member = work.members.find(org_id, member_id, for_update=for_update)
    if member is None:
        raise NotFoundError("The organization has no such member.")
    if not member.email:
        raise InvalidParametersError("The member has no mail address.")
    return member
