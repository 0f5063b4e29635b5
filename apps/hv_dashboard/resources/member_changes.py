"""
Members: added, given another role or a link, removed.
"""

import attrs
import falcon

from hv_dashboard.desk import Desk
from hv_dashboard.forms import Form, form_with, read_form
from hv_dashboard.member_pages import ROLE_OPTIONS, MemberPages, is_person
from hv_dashboard.visits import organization_of, visit_of
from hvcore.domain.access.roles import Role
from hvcore.domain.sign_in.members import (
    is_email_address,
    is_member_name,
)
from hvcore.errors import ConflictError, InvalidParametersError

_ROLES = {role.value for role in Role}


class NewMemberPageResource:
    """
    ``GET …/members/new``: the form; ``POST``: adds the member.
    """

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._members = desk.services.members
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
                "roles": ROLE_OPTIONS,
                "have_links": self._pages.have_links,
            },
        )


class MemberRolePageResource:
    """
    ``POST …/members/{member}/role``: gives another role.
    """

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
        wanted = read_form(req).text("role")
        if wanted not in _ROLES:
            raise InvalidParametersError("Choose one of the roles.")
        is_self = is_person(member, visit_of(req).person)
        try:
            self._members.change_role(org_id, member.id, Role(wanted), is_self=is_self)
        except ConflictError as error:
            resp.status = error.http_status
            self._pages.show(req, resp, member, complaint=error.detail)
            return
        self._answers.go(
            req,
            resp,
            # Who is no admin any more may not see the list.
            self._answers.address(req, "videos" if is_self else "members"),
            message=f"{member.shown_name} is {_named(wanted)} now.",
        )


class MemberLinkPageResource:
    """
    ``POST …/members/{member}/link``: makes a link that signs the member in once.
    """

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


class MemberRemovalPageResource:
    """
    ``POST …/members/{member}/remove``: takes the role away, and ends the sessions.
    """

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
        is_self = is_person(member, visit_of(req).person)
        try:
            self._members.remove(org_id, member.id, is_self=is_self)
        except ConflictError as error:
            resp.status = error.http_status
            self._pages.show(req, resp, member, complaint=error.detail)
            return
        self._answers.go(
            req,
            resp,
            self._answers.address(req, "members"),
            message=f"{member.shown_name} is no member any more.",
        )


def _named(role: str) -> str:
    return f"{'a' if role == Role.VIEWER.value else 'an'} {role}"
