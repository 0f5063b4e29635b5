"""The first page after signing in: the person's organization, or a choice of organizations."""

import falcon

from hvcore.domain.ids import OrgId
from hvcore.domain.sign_in.people import SignedInPerson
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.visits import visit_of


class StartResource:
    """``GET /dashboard/``: redirects to the person's only organization, or shows a choice."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._tenants = desk.services.tenants

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        person = visit_of(req).person
        found = self._organizations(person)
        if len(found) == 1 and not req.get_param("choose"):
            # Without the query, and with messages that wait.
            self._answers.go(req, resp, self._answers.top(found[0], "videos"))
            return
        self._answers.page(
            req,
            resp,
            "organizations/choose.html",
            {"organizations": [(one, person.role_in(one)) for one in found]},
        )

    def _organizations(self, person: SignedInPerson) -> list[OrgId]:
        if person.is_operator:
            return [one.id for one in self._tenants.organizations()]
        return sorted(person.roles)


class StartWithoutSlashResource:
    """``GET /dashboard``, as people type it: redirects to ``/dashboard/``."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        self._answers.go(req, resp, self._answers.top(""))
