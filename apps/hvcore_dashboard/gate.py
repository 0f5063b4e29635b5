"""Decide whether a person may open a page, before the page's resource is called."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack

import attrs
import falcon

from hvcore.assembly import Services
from hvcore.domain.access.roles import Role
from hvcore.domain.access.tenants import Environment
from hvcore.domain.ids import OrgId, is_chosen_id
from hvcore.domain.sign_in.people import SignedInPerson
from hvcore.errors import ForbiddenError, HvError, NotFoundError
from hvcore.services.access.audit import acting_as_person
from hvcore.services.access.callers import Access
from hvcore.services.sign_in.operation_limits import OperationLimits
from hvcore.services.sign_in.sessions import SignInSessions
from hvcore.throttling.turns import work_for
from hvcore_dashboard.cookies import LAST, Cookies
from hvcore_dashboard.forms import MAX_FIELDS_BYTES, is_multipart, read_form
from hvcore_dashboard.routes import ROUTES
from hvcore_dashboard.routing import Audience, PageRoute, ReceivingSlots
from hvcore_dashboard.security import (
    CHANGE_TOKEN,
    CHANGE_TOKEN_HEADER,
    is_from_our_pages,
)
from hvcore_dashboard.visits import OrganizationVisit, Visit, default_environment
from hvcore_web.bodies import allow_time


class SignedOutError(HvError):
    """A page for signed-in people was requested without a session."""

    status, code = 401, "unauthorized"
    default_detail = "Sign in to go on."


class ForgedRequestError(HvError):
    """A request for a change does not come from a page of this person's session."""

    status, code = 403, "forbidden"
    default_detail = (
        "This change did not come from a page of the dashboard. "
        "Open the page again and repeat it."
    )


@attrs.frozen(kw_only=True)
class GateMiddleware:
    """
    Falcon middleware that checks a request's origin, session, role, change token and limits.

    The checks are made in this order. A file in the request is read only if the person has
    the role.

    Attributes:
        slots: For each route that takes files, the number of files received at the same time.
    """

    routes: Mapping[tuple[str, str], PageRoute]
    slots: Mapping[PageRoute, ReceivingSlots]
    sessions: SignInSessions
    access: Access
    limits: OperationLimits
    cookies: Cookies

    @classmethod
    def of(cls, services: Services, cookies: Cookies) -> "GateMiddleware":
        """Return the gate for all pages of the dashboard."""
        return cls(
            routes={(route.method, route.path): route for route in ROUTES},
            slots={
                route: route.file.slots(services)
                for route in ROUTES
                if route.file is not None
            },
            sessions=services.sign_in_sessions,
            access=services.access,
            limits=services.operation_limits,
            cookies=cookies,
        )

    def process_resource(
        self,
        req: falcon.Request,
        _resp: falcon.Response,
        _resource: object,
        params: Mapping[str, str],
    ) -> None:
        """
        Check the request, and store its ``Visit``; raise an error if the person may not do this.

        Raises:
            SignedOutError: There is no session, or the session has ended.
            ForgedRequestError: The request is for a change, and comes from another site.
            NotFoundError: There is no such organization, or the person is not one of its
                members; or the page is for operators, and the person is none.
            ForbiddenError: The person's role does not allow this.
            RateLimitExceededError: The organization has reached a rate limit.
            UnavailableError: Too many files are being received.
        """
        method = "GET" if req.method == "HEAD" else req.method
        route = self.routes.get((method, req.uri_template or ""))
        if route is None:
            return
        req.context.route = route
        is_change = method not in {"GET", "OPTIONS"}
        if is_change and not is_from_our_pages(req):
            raise ForgedRequestError
        if route.needs is Audience.EVERYBODY:
            return
        known = self.sessions.holder_of if route.leaves else self.sessions.person_of
        person = known(self.cookies.session(req))
        if person is None:
            raise SignedOutError
        # Errors are shown on pages of the person, too.
        req.context.visit = Visit(person=person)
        if "" in params.values():
            # Falcon lets /videos/ match /videos/{video_id}.
            raise NotFoundError
        req.context.visit = self._entered(req, person, route, params)
        if is_change:
            self._begin_change(req, req.context.visit, route)

    def process_response(
        self,
        req: falcon.Request,
        _resp: falcon.Response,
        _resource: object,
        _req_succeeded: bool,  # noqa: FBT001 - Falcon's signature
    ) -> None:
        """End the person's change: later work in this thread is not recorded under the person's name."""
        change: ExitStack | None = getattr(req.context, "change", None)
        if change is not None:
            change.close()

    def _begin_change(
        self, req: falcon.Request, visit: Visit, route: PageRoute
    ) -> None:
        change = req.context.change = ExitStack()
        here = visit.organization
        if route.file is not None and here is not None and is_multipart(req):
            change.enter_context(self.slots[route](here.org_id))
            allow_time(req, route.file.within_s)
            read_form(req, max_bytes=route.file.max_bytes + MAX_FIELDS_BYTES)
        _check_token(req, visit.person)
        if route.bucket is not None and here is not None:
            self.limits.count(here.org_id, route.bucket)
        # The audit log names the person, whatever the resource does.
        change.enter_context(acting_as_person(visit.person.as_person))

    def _entered(
        self,
        req: falcon.Request,
        person: SignedInPerson,
        route: PageRoute,
        params: Mapping[str, str],
    ) -> Visit:
        if route.needs is Audience.OPERATORS and not person.is_operator:
            raise NotFoundError
        if not isinstance(route.needs, Role):
            last = None if route.leaves else self._last(req, person)
            return Visit(person=person, last=last)
        wanted = req.get_param("env")
        organization = self._organization(person, params["org_id"], wanted)
        work_for(organization.org_id)
        if not organization.role.includes(route.needs):
            raise ForbiddenError(
                f"You are {_named(organization.role)} in {organization.org_id}; "
                f"this needs {_named(route.needs)}. Ask an admin of the organization."
            )
        return Visit(person=person, organization=organization)

    def _last(
        self, req: falcon.Request, person: SignedInPerson
    ) -> OrganizationVisit | None:
        """Return the organization that the person looked at last, for the navigation."""
        value = self.cookies.read(req, LAST)
        if not value:
            return None
        org_id, _, env_id = value.partition(".")
        try:
            return self._organization(person, org_id, env_id or None)
        except NotFoundError:
            # Removed, somebody else's of before, or not ours.
            return None

    def _organization(
        self, person: SignedInPerson, named: str, wanted: str | None
    ) -> OrganizationVisit:
        # A database never sees what cannot be an id.
        if not is_chosen_id(named):
            raise NotFoundError
        org_id = OrgId(named)
        caller = self.sessions.principal(person, org_id)
        role = person.role_in(org_id)
        assert role is not None  # noqa: S101 - without one there is no principal
        environments = self.access.environments(caller, org_id)
        return OrganizationVisit(
            org_id=org_id,
            role=role,
            caller=caller,
            environments=environments,
            env=_chosen(environments, wanted),
        )


def _check_token(req: falcon.Request, person: SignedInPerson) -> None:
    given = req.get_header(CHANGE_TOKEN_HEADER)
    if given is None:
        given = read_form(req).text(CHANGE_TOKEN)
    if not person.may_change_with(given):
        raise ForgedRequestError


def _chosen(
    environments: Sequence[Environment], wanted: str | None
) -> Environment | None:
    """
    Return the environment of that name or id; the default one without a name.

    Raises:
        NotFoundError: There is none of that name.
    """
    if wanted is None:
        return default_environment(environments)
    for env in environments:
        if wanted in {env.name, env.id}:
            return env
    raise NotFoundError


def _named(role: Role) -> str:
    return f"{'a' if role is Role.VIEWER else 'an'} {role.value}"
