"""Show the page of a member; several routes answer with it."""

from typing import Final

import attrs
import falcon

from hvcore.domain.access.roles import Role
from hvcore.domain.sign_in.members import OrganizationMember, fold_email
from hvcore.domain.sign_in.people import SignedInPerson
from hvcore.errors import InvalidParametersError, RateLimitExceededError
from hvcore.ports.sign_in import LINK_BACKEND
from hvcore.services.sign_in.links import SignInLinks
from hvcore.services.sign_in.mailed_links import MailedSignIns
from hvcore.services.sign_in.members import Members
from hvcore_dashboard.answers import Answers
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.forms import Form, form_to_edit
from hvcore_dashboard.secrets_once import MadeSecret, show_once
from hvcore_dashboard.visits import organization_of

ROLE_CHOICES: Final = (
    (
        Role.VIEWER.value,
        "Viewer",
        "Sees and plays all videos, with their analytics. Changes nothing.",
    ),
    (
        Role.EDITOR.value,
        "Editor",
        "Also uploads, changes and deletes videos, captions, share links and edge keys.",
    ),
    (
        Role.ADMIN.value,
        "Admin",
        "Also manages members, API keys, webhooks, environments and settings.",
    ),
)
"""The value, the name and the explanation of each role, the smallest first."""


@attrs.frozen(kw_only=True)
class MemberPages:
    """
    Answers with the page of a member, or with a new sign-in link for a member.

    Attributes:
        backend: The name of the backend by which people sign in.
    """

    answers: Answers
    members: Members
    links: SignInLinks
    backend: str
    mailed: MailedSignIns

    @classmethod
    def of(cls, desk: Desk) -> "MemberPages":
        """Return the answers with pages of members, made of the dashboard's services."""
        return cls(
            answers=desk.answers,
            members=desk.services.members,
            links=desk.services.sign_in_links,
            backend=desk.services.settings.sign_in.backend,
            mailed=desk.services.mailed_sign_ins,
        )

    @property
    def have_links(self) -> bool:
        """Return whether members sign in by links that admins hand over."""
        return self.backend == LINK_BACKEND

    def show(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        member: OrganizationMember,
        *,
        form: Form | None = None,
    ) -> None:
        """
        Answer with the page of a member.

        Args:
            form: A refused form of the page, to be shown again; None shows the stored values.
        """
        self.answers.page(
            req,
            resp,
            "members/member.html",
            {
                "member": member,
                "form": form or form_to_edit({"role": member.role.value}),
                "roles": ROLE_CHOICES,
                "have_links": self.have_links,
                "can_mail": bool(member.email) and self.mailed.has_mail_server,
                "invitation": self.mailed.invitation(member),
                "now": self.mailed.clock.now(),
            },
        )

    def invite(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        member: OrganizationMember,
        *,
        after: str | None = None,
    ) -> None:
        """
        Mail an invitation to a member, and redirect to the list of members.

        If the limit of invitations is reached, answer with the member's page and a message
        that says so.

        Args:
            after: The id of the newest invitation on the page that asks for one; "" for none,
                None where the page says nothing of it.
        """
        try:
            self.mailed.invite(member.org_id, member.id, after=after)
        except (InvalidParametersError, RateLimitExceededError) as error:
            resp.status = error.http_status
            for name, value in error.headers.items():
                resp.set_header(name, value)
            again = form_to_edit({"role": member.role.value})
            again = attrs.evolve(again, errors={"": error.detail})
            self.show(req, resp, member, form=again)
            return
        self.answers.go(
            req,
            resp,
            self.answers.address(req, "members"),
            message=f"{member.shown_name} is a member. An invitation goes to "
            f"{member.email}.",
        )

    def show_link(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        member: OrganizationMember,
    ) -> None:
        """Answer with a new sign-in link for a member, which is shown only this once."""
        made = self.links.for_member(organization_of(req).org_id, member.id)
        made_secret = MadeSecret(
            title=f"A sign-in link for {member.shown_name}",
            label="Sign-in link",
            value=made.address,
            notes=(
                "Hand it over yourself, to this person alone.",
                "Whoever opens it first is signed in.",
                "It signs in once, and ends after 10 minutes. You can make another.",
            ),
            next_address=self.answers.address(req, "members"),
            next_text="I have copied it",
        )
        show_once(self.answers, req, resp, made_secret)


def is_person(member: OrganizationMember, person: SignedInPerson) -> bool:
    """Return whether a member is the person who looks at the page."""
    if person.backend == LINK_BACKEND:
        return person.subject == member.id
    return bool(member.email) and fold_email(person.email) == fold_email(member.email)
