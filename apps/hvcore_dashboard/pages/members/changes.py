"""Add members to an organization, change their role, make sign-in links, remove members."""

from collections.abc import Mapping

import attrs
import falcon

from hvcore.domain.access.roles import Role
from hvcore.domain.sign_in.members import (
    OrganizationMember,
    is_email_address,
    is_member_name,
)
from hvcore.errors import (
    ConflictError,
    FieldError,
    InvalidParametersError,
    PreconditionFailedError,
)
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.edits import as_shown, refused, sent_edit, settle, told
from hvcore_dashboard.forms import Form, form_to_edit, form_with, read_form
from hvcore_dashboard.pages.members.page import ROLE_CHOICES, MemberPages, is_person
from hvcore_dashboard.visits import organization_of, visit_of

_ROLES = {role.value for role in Role}


class NewMemberPageResource:
    """``GET …/members/new``: the form for a new member; ``POST``: adds the member."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._members = desk.services.members
        self._mailed = desk.services.mailed_sign_ins
        self._pages = MemberPages.of(desk)

    def on_get(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        self._show(req, resp, form_with(role=Role.VIEWER.value))

    def on_post(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        form = read_form(req)
        form = attrs.evolve(form, errors=self._problems(form))
        if form.errors:
            resp.status = InvalidParametersError.status
            self._show(req, resp, form)
            return
        try:
            member = self._members.add(
                organization_of(req).org_id,
                role=Role(form.text("role")),
                email=form.text("email"),
                name=form.text("name"),
            )
        except ConflictError as error:
            resp.status = error.http_status
            self._show(req, resp, attrs.evolve(form, errors={"email": error.detail}))
            return
        if member.email and self._mailed.has_mail_server:
            self._pages.invite(req, resp, member)
            return
        if self._pages.have_links:
            self._pages.show_link(req, resp, member)
            return
        self._answers.go(
            req,
            resp,
            self._answers.address(req, "members"),
            message=f"{member.shown_name} is a member. It counts from the next sign-in.",
        )

    def _problems(self, form: Form) -> dict[str, str]:
        found: dict[str, str] = {}
        name, email = form.text("name"), form.text("email")
        if not is_member_name(name):
            found["name"] = "A name has at most 200 characters, on one line."
        if email and not is_email_address(email):
            found["email"] = "Give an address such as ada@example.com."
        if not email and not self._pages.have_links:
            found["email"] = "Give the address by which the provider knows the person."
        if not email and not name:
            found.setdefault("name", "Give a name or an email address.")
        if form.text("role") not in _ROLES:
            found["role"] = "Choose a role."
        return found

    def _show(self, req: falcon.Request, resp: falcon.Response, form: Form) -> None:
        self._answers.page(
            req,
            resp,
            "members/new.html",
            {
                "form": form,
                "roles": ROLE_CHOICES,
                "have_links": self._pages.have_links,
                "has_mail": self._mailed.has_mail_server,
            },
        )


class MemberRolePageResource:
    """``POST …/members/{member}/role``: gives the member another role."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._members = desk.services.members
        self._pages = MemberPages.of(desk)

    def on_post(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        *,
        member_id: str,
        **_path: str,
    ) -> None:
        org_id, form = organization_of(req).org_id, read_form(req)
        member = self._members.find(org_id, member_id)
        is_self = is_person(member, visit_of(req).person)

        def write(found: OrganizationMember, changes: Mapping[str, str | None]) -> None:
            self._members.change_role(
                org_id,
                found.id,
                _role(changes["role"]),
                is_self=is_self,
                only_if=lambda now: now.role is found.role,
            )

        try:
            edit = settle(
                lambda: self._members.find(org_id, member_id),
                lambda found: sent_edit(form, {"role": found.role.value}),
                write,
            )
        except (ConflictError, InvalidParametersError) as error:
            member = self._members.find(org_id, member_id)
            resp.status = error.http_status
            self._pages.show(req, resp, member, form=refused(form, error))
            return
        saved = f"{member.shown_name} is {_named(form.text('role'))} now."
        self._answers.go(
            req,
            resp,
            # Who is no admin any more may not see the list.
            self._answers.address(req, "videos" if is_self else "members"),
            message=told(edit, saved=saved),
        )


class MemberLinkPageResource:
    """``POST …/members/{member}/link``: makes a link that signs the member in once."""

    def __init__(self, desk: Desk) -> None:
        self._members = desk.services.members
        self._pages = MemberPages.of(desk)

    def on_post(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        *,
        member_id: str,
        **_path: str,
    ) -> None:
        member = self._members.find(organization_of(req).org_id, member_id)
        if not self._pages.have_links:
            raise InvalidParametersError("Members sign in with the provider here.")
        self._pages.show_link(req, resp, member)


class MemberInvitationPageResource:
    """``POST …/members/{member}/invite``: mails an invitation to the member."""

    def __init__(self, desk: Desk) -> None:
        self._members = desk.services.members
        self._pages = MemberPages.of(desk)

    def on_post(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        *,
        member_id: str,
        **_path: str,
    ) -> None:
        member = self._members.find(organization_of(req).org_id, member_id)
        form = read_form(req)
        after = form.text("after") if form.is_checked("after") else None
        self._pages.invite(req, resp, member, after=after)


class MemberRemovalPageResource:
    """``POST …/members/{member}/remove``: removes the member's role, and ends the member's sessions."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._members = desk.services.members
        self._pages = MemberPages.of(desk)

    def on_post(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        *,
        member_id: str,
        **_path: str,
    ) -> None:
        org_id = organization_of(req).org_id
        member = self._members.find(org_id, member_id)
        form, is_self = read_form(req), is_person(member, visit_of(req).person)
        as_seen = as_shown(form, "role", _role_of)
        try:
            self._members.remove(org_id, member.id, is_self=is_self, only_if=as_seen)
        except (ConflictError, PreconditionFailedError) as error:
            member = self._members.find(org_id, member_id)
            resp.status = ConflictError.status
            is_stale = isinstance(error, PreconditionFailedError)
            text = _other_role(member) if is_stale else error.detail
            again = form_to_edit({"role": member.role.value})
            again = attrs.evolve(again, errors={"": text})
            self._pages.show(req, resp, member, form=again)
            return
        self._answers.go(
            req,
            resp,
            self._answers.address(req, "members"),
            message=f"{member.shown_name} is no member any more.",
        )


def _role(text: str | None) -> Role:
    if text not in _ROLES:
        problem = FieldError(message="Choose one of the roles.", location="body.role")
        raise InvalidParametersError(problem.message, errors=[problem])
    return Role(text)


def _role_of(member: OrganizationMember) -> str:
    return member.role.value


def _other_role(member: OrganizationMember) -> str:
    return (
        f"Somebody has made {member.shown_name} {_named(member.role.value)} since you "
        "opened this page, so nobody was removed. Look again, and repeat it if you "
        "still want to."
    )


def _named(role: str) -> str:
    return f"{'a' if role == Role.VIEWER.value else 'an'} {role}"
