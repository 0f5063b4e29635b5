"""The list of an organization's members, and the page of each member."""

import falcon

from hvcore_dashboard.desk import Desk
from hvcore_dashboard.list_pages import PAGE_SIZE, list_page
from hvcore_dashboard.pages.members.page import MemberPages, is_person
from hvcore_dashboard.visits import organization_of, visit_of


class MembersPageResource:
    """``GET …/members``: the list of people with a role in the organization."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._members = desk.services.members
        self._pages = MemberPages.of(desk)

    def on_get(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        person, org_id = visit_of(req).person, organization_of(req).org_id
        page = list_page(req, self._members.count(org_id))
        found = self._members.page(org_id, offset=page.offset, limit=PAGE_SIZE)
        self._answers.page(
            req,
            resp,
            "members/list.html",
            {
                "members": [(one, is_person(one, person)) for one in found],
                "have_links": self._pages.have_links,
                "backend": self._pages.backend,
                **page.shown,
            },
        )


class MemberPageResource:
    """``GET …/members/{member}``: the page of a member, with the changes that can be made."""

    def __init__(self, desk: Desk) -> None:
        self._members = desk.services.members
        self._pages = MemberPages.of(desk)

    def on_get(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        *,
        member_id: str,
        **_path: str,
    ) -> None:
        member = self._members.find(organization_of(req).org_id, member_id)
        self._pages.show(req, resp, member)
