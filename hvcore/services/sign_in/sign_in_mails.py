"""Mail invitations and sign-in links: the work of ``sign-in-mail.send`` tasks."""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

import attrs

from hvcore.domain.access.roles import Role
from hvcore.domain.sign_in.links import LINK_VALID_FOR
from hvcore.domain.sign_in.mails import INVITATION_VALID_FOR, SignInMail
from hvcore.domain.sign_in.members import OrganizationMember
from hvcore.domain.sign_in.sessions import hash_secret_value
from hvcore.ports.mail import Mail, Mailer, MailRefusedError
from hvcore.ports.sign_in import LINK_BACKEND, SignInPages
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.tasks.leases import TaskRun
from hvcore.signing.mailed_codes import MailedCodes

_ROLES: Final = {
    Role.VIEWER: "a viewer: you see and play the videos",
    Role.EDITOR: "an editor: you upload and change videos",
    Role.ADMIN: "an admin: you also manage keys, members and settings",
}

_log = logging.getLogger(__name__)


@attrs.frozen(kw_only=True)
class MailedLink:
    """
    Hold a link that a mail carries, with the member whom it signs in.

    Attributes:
        address: The one-time link; "" where members sign in by another backend.
    """

    member: OrganizationMember
    address: str = attrs.field(repr=False)


@attrs.frozen(kw_only=True)
class SignInMails:
    """
    Send each mail with an invitation or sign-in links once it was ordered.

    A mail that is tried again carries the links that still work, and no others: who has
    used the link of an earlier attempt, whose answer was lost, gets none anew.

    Attributes:
        dashboard: The dashboard's address, without a slash at the end.
        backend: The name of the sign-in backend to which people are sent.
    """

    uow: UnitOfWork
    mailer: Mailer
    codes: MailedCodes
    pages: SignInPages
    dashboard: str
    backend: str

    def send(self, run: TaskRun) -> None:
        """
        Send the mail that a task names, unless none of its links works any more.

        Raises:
            UnavailableError: The mail server does not take it now.
        """
        try:
            mail = self._find(run.task.subject)
            if mail is not None:
                self.mailer.send(mail)
        except MailRefusedError as error:
            _log.warning(
                "sign-in mail not sent",
                extra={"hv_task": run.task.id, "hv_why": str(error)},
            )
            with self.uow.write() as work:
                work.tasks.fail(run.task, error=str(error))
                run.charge(work)
                work.commit()
            return
        run.finish()

    def _find(self, mail_id: str) -> Mail | None:
        with self.uow.read() as work:
            mail, now = work.sign_in_mails.find(mail_id), work.now()
            if mail is None or now >= mail.expires_at:
                return None
            links = self._links(work, mail, now)
        if not links:
            return None
        if mail.is_invitation:
            return self._invitation(mail, links[0])
        return self._asked(mail, links)

    def _links(
        self, work: Work, mail: SignInMail, now: datetime
    ) -> Sequence[MailedLink]:
        if self.backend != LINK_BACKEND:
            # Nobody gets in past the provider; an invitation says where it is.
            member = work.members.find(mail.org_id, mail.member_id or "")
            return [] if member is None else [MailedLink(member=member, address="")]
        found = []
        for link in work.sign_in_links.of_mail(mail.id, now):
            member = work.members.find(link.org_id or "", link.member_id or "")
            if member is not None:
                code = self._code(mail, member, link.sha256)
                address = f"{self.pages.link}#{code}"
                found.append(MailedLink(member=member, address=address))
        return found

    def _code(self, mail: SignInMail, member: OrganizationMember, sha256: str) -> str:
        code = self.codes.code(mail.id, member.id)
        if hash_secret_value(code) != sha256:
            raise MailRefusedError(
                "The service's secret has changed since the mail was ordered, or it "
                "differs between machines; order another mail."
            )
        return code

    def _invitation(self, mail: SignInMail, link: MailedLink) -> Mail:
        member = link.member
        days = INVITATION_VALID_FOR // timedelta(days=1)
        if link.address:
            how = f"""\
Open this page, and press “Sign in”:

    {link.address}

The link is good for {days} days, and once. Afterwards you get another one here:

    {self.pages.signed_out}
"""
        else:
            how = f"""\
Open the dashboard, and sign in with your organization's account:

    {self.dashboard}/{member.org_id}/videos
"""
        text = f"""\
You were invited to the video dashboard of {member.org_id}, as
{_ROLES[member.role]}.

{how}
If you do not know what this is about, do nothing.
"""
        subject = f"You were invited to {member.org_id}"
        return Mail(id=mail.id, to=member.email, subject=subject, text=text)

    def _asked(self, mail: SignInMail, links: Sequence[MailedLink]) -> Mail:
        minutes = LINK_VALID_FOR // timedelta(minutes=1)
        listed = "\n".join(
            f"{link.member.org_id}:\n\n    {link.address}\n" for link in links
        )
        text = f"""\
Somebody has asked for a link to sign in to the video dashboard with this address.
Open the page of your organization, and press “Sign in”.

{listed}
A link is good for {minutes} minutes, and once.

If you have not asked for it, do nothing: without the link, nobody is signed in.
"""
        return Mail(
            id=mail.id,
            to=links[0].member.email,
            subject="Your link to sign in",
            text=text,
        )
